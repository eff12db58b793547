import type { HonoRequest } from 'hono'
import { maxElsewhereMs } from './logins.ts'

/** Where a cookie holds: on this machine at that port, or at the public address. */
export type CookiePlace = number | 'public'

/**
 * Browsers share cookies between all ports of a host, so the name contains the port of this Iris. A `__Host-` cookie is
 * one that no other host and no plain HTTP can have set.
 */
function cookieName(place: CookiePlace): string {
  return place === 'public' ? '__Host-iris' : `iris-${place}`
}

/**
 * Sent only with requests of pages of this host, hidden from scripts. On this machine it is dropped when the browser
 * closes; a telephone closes its browser all the time.
 */
export function loginCookie(place: CookiePlace, value: string): string {
  const cookie = `${cookieName(place)}=${value}; Path=/; HttpOnly; SameSite=Strict`
  return place === 'public' ? `${cookie}; Secure; Max-Age=${maxElsewhereMs / 1000}` : cookie
}

export function clearedCookie(place: CookiePlace): string {
  const secure = place === 'public' ? '; Secure' : ''
  return `${cookieName(place)}=; Path=/; HttpOnly; SameSite=Strict${secure}; Max-Age=0`
}

/** The values of all cookies of that name: a server on another port can set one that comes before ours. */
export function cookiesOf(header: string | undefined, place: CookiePlace): string[] {
  const start = `${cookieName(place)}=`
  return (header ?? '')
    .split(';')
    .map((each) => each.trim())
    .filter((each) => each.startsWith(start))
    .map((each) => each.slice(start.length))
}

/**
 * Why a request with the cookie may be forged; undefined when it is the owner's. A browser also sends the cookie with
 * requests of pages on other ports. Such a page can send a form or open a socket without a preflight request, so these
 * must name their `Origin`, and writes must be JSON. `loopbackOnly` has already checked that an `Origin` is this
 * address.
 */
export function whyForged(req: HonoRequest): string | undefined {
  const reads = req.method === 'GET' || req.method === 'HEAD'
  if (reads && req.header('upgrade') === undefined) return undefined
  if (req.header('origin') === undefined) return 'it does not say which page it comes from'
  const isJson = /^application\/json\s*(;|$)/i.test(req.header('content-type') ?? '')
  return reads || isJson ? undefined : 'it is not JSON'
}
