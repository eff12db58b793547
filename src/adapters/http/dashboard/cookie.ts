import { maxElsewhereMs } from './logins.ts'

/** Where a cookie is valid: at a port on this machine, or at the public address. */
export type CookiePlace = number | 'public'

/**
 * Browsers share cookies between all ports of a host, so the name contains the port of this Iris. The prefix `__Host-`
 * guarantees that the cookie was not set by another host or over plain HTTP.
 */
function cookieName(place: CookiePlace): string {
  return place === 'public' ? '__Host-iris' : `iris-${place}`
}

/**
 * On this machine, the cookie is dropped when the browser closes. At the public address, it must survive that, because
 * phones often close the browser.
 */
export function loginCookie(place: CookiePlace, value: string): string {
  const cookie = `${cookieName(place)}=${value}; ${attributes(place)}`
  return place === 'public' ? `${cookie}; Max-Age=${maxElsewhereMs / 1000}` : cookie
}

export function clearedCookie(place: CookiePlace): string {
  return `${cookieName(place)}=; ${attributes(place)}; Max-Age=0`
}

/** The cookie is sent only with requests from pages of this host, and is hidden from scripts. */
function attributes(place: CookiePlace): string {
  return `Path=/; HttpOnly; SameSite=Strict${place === 'public' ? '; Secure' : ''}`
}

/** The values of all cookies with that name, because a server on another port can set one that comes before ours. */
export function cookiesOf(header: string | undefined, place: CookiePlace): string[] {
  const start = `${cookieName(place)}=`
  return (header ?? '')
    .split(';')
    .map((each) => each.trim())
    .filter((each) => each.startsWith(start))
    .map((each) => each.slice(start.length))
}
