import { createHash, timingSafeEqual } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { IrisError } from '../protocol/error.ts'

const loopbackHosts = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Refuses a Host or Origin that is not this machine: a page that rebinds its name to loopback gets no further. */
export const loopbackOnly: MiddlewareHandler = async (context, next) => {
  const host = hostname(`http://${context.req.header('host') ?? ''}`)
  const origin = context.req.header('origin')
  if (!loopbackHosts.has(host) || (origin !== undefined && !loopbackHosts.has(hostname(origin)))) {
    throw new IrisError(
      'not_allowed',
      'Iris answers this machine only.',
      'Use http://127.0.0.1 with the port of the daemon.',
    )
  }
  await next()
}

/** Everything behind it needs the bearer token. Compared by hash, in constant time. */
export function needsToken(token: string): MiddlewareHandler {
  const expected = digest(token)
  return async (context, next) => {
    const [scheme, given] = (context.req.header('authorization') ?? '').split(' ', 2)
    if (scheme?.toLowerCase() !== 'bearer' || given === undefined || !timingSafeEqual(digest(given), expected)) {
      throw new IrisError(
        'unauthorized',
        'This needs the bearer token of this Iris.',
        'Run "iris token" and send it as Authorization: Bearer.',
      )
    }
    await next()
  }
}

/** A body that says its length is held to it by the parser; only another one has to be counted as it comes. */
export function bodyNoLongerThan(limit: () => number, tooLong: () => never): MiddlewareHandler {
  return async (context, next) => {
    const maxSize = limit()
    const length = context.req.header('content-length')
    if (length === undefined || context.req.header('transfer-encoding') !== undefined) {
      return bodyLimit({ maxSize, onError: tooLong })(context, next)
    }
    if (Number(length) > maxSize) tooLong()
    await next()
  }
}

function hostname(url: string): string {
  try {
    return new URL(url).hostname
  } catch {
    return ''
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
