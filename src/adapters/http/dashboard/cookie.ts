import { maxElsewhereMs } from './logins.ts'

/** Where a cookie is valid: on this machine at that port, or at the public address. */
export type CookiePlace = number | 'public'

/**
 * Browsers share cookies between all ports of a host, so the name contains the port of this Iris. A `__Host-` cookie
 * cannot have been set by another host or over plain HTTP.
 */
function cookieName(place: CookiePlace): string {
  return place === 'public' ? '__Host-iris' : `iris-${place}`
}

/**
 * On this machine the cookie is dropped when the browser closes. At the public address it must outlive that, because
 * phones close the browser often.
 */
export function loginCookie(place: CookiePlace, value: string): string {
  const cookie = `${cookieName(place)}=${value}; ${attributes(place)}`
  return place === 'public' ? `${cookie}; Max-Age=${maxElsewhereMs / 1000}` : cookie
}

export function clearedCookie(place: CookiePlace): string {
  return `${cookieName(place)}=; ${attributes(place)}; Max-Age=0`
}

/** Sent only with requests of pages of this host, hidden from scripts. */
function attributes(place: CookiePlace): string {
  return `Path=/; HttpOnly; SameSite=Strict${place === 'public' ? '; Secure' : ''}`
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
