import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { IrisError } from '../../base/protocol/error.ts'

const loopbackHosts = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Of an API: nothing of it is shown, kept, or guessed at by a browser. */
const headers = Object.entries({
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
})

/** Set below Hono: a response that is changed once more is copied. What a response says of itself wins. */
export const withApiHeaders: MiddlewareHandler = async (context, next) => {
  for (const [name, value] of headers) context.env?.outgoing?.setHeader(name, value)
  await next()
}

/**
 * Refuses a Host that is not this machine, and whatever comes from a page of another origin, another port of this machine
 * included: a page that rebinds its name to loopback gets no further, and the handshake of a socket is a request too.
 */
export const loopbackOnly: MiddlewareHandler = async (context, next) => {
  const host = parsed(`http://${context.req.header('host') ?? ''}`)
  const origin = context.req.header('origin')
  const site = context.req.header('sec-fetch-site') ?? 'none'
  const isHere = host !== undefined && loopbackHosts.has(host.hostname)
  if (!isHere || (origin !== undefined && parsed(origin)?.host !== host.host) || !ownSites.has(site)) {
    throw new IrisError(
      'not_allowed',
      'Iris answers this machine only, and no page of another origin.',
      'Use http://127.0.0.1 with the port of the daemon.',
    )
  }
  await next()
}

const ownSites = new Set(['none', 'same-origin'])

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

function parsed(url: string): URL | undefined {
  return URL.parse(url) ?? undefined
}
