import type { HonoRequest } from 'hono'

/** Browsers share cookies between all ports of a host, so the name contains the port of this Iris. */
function cookieName(port: number): string {
  return `iris-${port}`
}

/** Sent only with requests of pages of this host, hidden from scripts, dropped when the browser closes. */
export function loginCookie(port: number, value: string): string {
  return `${cookieName(port)}=${value}; Path=/; HttpOnly; SameSite=Strict`
}

export function clearedCookie(port: number): string {
  return `${loginCookie(port, '')}; Max-Age=0`
}

/** The values of all cookies of that name: a server on another port can set one that comes before ours. */
export function cookiesOf(header: string | undefined, port: number): string[] {
  const start = `${cookieName(port)}=`
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
