import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { IrisError } from '../../base/protocol/error.ts'
import type { Env } from './routes.ts'

const loopbackHosts = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Headers of the API: browsers do not frame, cache or sniff its responses. */
const headers = Object.entries({
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
})

/** Sets the headers on Node's response, since Hono copies a response to change it. A response's own headers win. */
export const withApiHeaders: MiddlewareHandler = async (context, next) => {
  for (const [name, value] of headers) context.env?.outgoing?.setHeader(name, value)
  await next()
}

/**
 * Refuses a Host that is not this machine, and requests of pages of another origin, including other ports of this
 * machine. This stops DNS rebinding. WebSocket handshakes are requests too, so they are covered.
 */
export const loopbackOnly: MiddlewareHandler = async (context, next) => {
  const host = parsed(`http://${context.req.header('host') ?? ''}`)
  const origin = context.req.header('origin')
  const site = context.req.header('sec-fetch-site') ?? 'none'
  const isHere = host !== undefined && loopbackHosts.has(host.hostname)
  if (isHere && proxyHeaders.some((name) => context.req.header(name) !== undefined)) {
    throw new IrisError(
      'not_allowed',
      'This request came through a proxy, which does not pass the Host on.',
      'Set settings.publicUrl to the address of the proxy, and let the proxy keep the Host header.',
    )
  }
  if (!isHere || (origin !== undefined && parsed(origin)?.host !== host.host) || !ownSites.has(site)) {
    throw new IrisError(
      'not_allowed',
      'Iris answers this machine only, and no page of another origin.',
      'Use http://127.0.0.1 with the port of the daemon.',
    )
  }
  await next()
}

/** A proxy in front of Iris sets them. Behind one, the process at the other end of the connection says nothing. */
const proxyHeaders = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via']

/** Whether the request is for the public address: that host exactly, with its port if it has one. */
export function isFor(publicUrl: string | undefined, host: string | undefined): boolean {
  if (publicUrl === undefined || host === undefined) return false
  const expected = new URL(publicUrl)
  const given = host.toLowerCase()
  return given === expected.host || (expected.port === '' && given === `${expected.host}:443`)
}

/** For requests of the public address: refuses those of pages of another origin, and sets the address. */
export function publicOnly(publicUrl: () => string | undefined): MiddlewareHandler<Env> {
  return async (context, next) => {
    const address = publicUrl()
    const origin = context.req.header('origin')
    const site = context.req.header('sec-fetch-site') ?? 'none'
    if (address === undefined || (origin !== undefined && origin !== address) || !ownSites.has(site)) {
      throw new IrisError(
        'not_allowed',
        'Iris answers no page of another origin.',
        'Open the dashboard at its own address.',
      )
    }
    context.set('publicUrl', address)
    await next()
  }
}

const ownSites = new Set(['none', 'same-origin'])

/** Refuses longer bodies. The parser enforces a Content-Length; a body without one is counted as it arrives. */
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
