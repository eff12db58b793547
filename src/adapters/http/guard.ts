import type { MiddlewareHandler } from 'hono'
import { IrisError } from '../../base/protocol/error.ts'
import type { Env } from './routes.ts'

const loopbackHosts = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Headers of the API. With them, browsers do not frame, cache or sniff its responses. */
const headers = Object.entries({
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
})

/** Sets the headers on Node's response, because Hono would copy the response to add a header. A response's own headers win. */
export const withApiHeaders: MiddlewareHandler = async (context, next) => {
  for (const [name, value] of headers) context.env?.outgoing?.setHeader(name, value)
  await next()
}

/**
 * Refuses a Host other than this machine, and requests from pages of another origin, including other ports of this
 * machine. This stops DNS rebinding. WebSocket handshakes are covered too, because they are requests.
 */
export const loopbackOnly: MiddlewareHandler = async (context, next) => {
  const host = parsed(`http://${context.req.header('host') ?? ''}`)
  const origin = context.req.header('origin')
  const site = context.req.header('sec-fetch-site') ?? 'none'
  const isHere = host !== undefined && loopbackHosts.has(host.hostname)
  if (isHere && proxyHeaders.some((name) => context.req.header(name) !== undefined)) {
    throw new IrisError(
      'not_allowed',
      'This request came through a proxy that does not pass on the Host header.',
      'Set settings.publicUrl to the address of the proxy, and let the proxy keep the Host header.',
    )
  }
  if (!isHere) {
    throw new IrisError(
      'not_allowed',
      `Iris answers only requests addressed to this machine (Host: ${context.req.header('host') ?? 'none'}).`,
      'Use http://127.0.0.1 with the port of the daemon.',
    )
  }
  if ((origin !== undefined && parsed(origin)?.host !== host.host) || !ownSites.has(site)) {
    throw ofAnotherOrigin(origin ?? site, 'Use http://127.0.0.1 with the port of the daemon.')
  }
  await next()
}

/**
 * Headers that a proxy in front of Iris sets. Behind a proxy, the process at the other end of the connection says
 * nothing about the caller.
 */
const proxyHeaders = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via']

/** Whether the request is for the public address: that host exactly, with its port if it has one. */
export function isPublicHost(publicUrl: string | undefined, host: string | undefined): boolean {
  if (publicUrl === undefined || host === undefined) return false
  const expected = new URL(publicUrl)
  const given = host.toLowerCase()
  return given === expected.host || (expected.port === '' && given === `${expected.host}:443`)
}

/** For requests to the public address: refuses those from pages of another origin, and sets `publicUrl`. */
export function publicOnly(publicUrl: () => string | undefined): MiddlewareHandler<Env> {
  return async (context, next) => {
    const address = publicUrl()
    const origin = context.req.header('origin')
    const site = context.req.header('sec-fetch-site') ?? 'none'
    if (address === undefined) {
      throw new IrisError('not_allowed', 'This Iris has no public address.', 'Set settings.publicUrl in config.yaml.')
    }
    if ((origin !== undefined && origin !== address) || !ownSites.has(site)) {
      throw ofAnotherOrigin(origin ?? site, 'Open the dashboard at its own address.')
    }
    context.set('publicUrl', address)
    await next()
  }
}

const ownSites = new Set(['none', 'same-origin'])

function ofAnotherOrigin(page: string, remedy: string): IrisError {
  return new IrisError('not_allowed', `Iris does not answer requests from pages of another origin (${page}).`, remedy)
}

function parsed(url: string): URL | undefined {
  return URL.parse(url) ?? undefined
}
