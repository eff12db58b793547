import type { HonoRequest } from 'hono'

/** Cookies are shared by all ports of a host: the name says which Iris it belongs to. */
function cookieName(port: number): string {
  return `iris-${port}`
}

/** Only for requests that the dashboard itself makes, never for its scripts; gone with the browser. */
export function loginCookie(port: number, value: string): string {
  return `${cookieName(port)}=${value}; Path=/; HttpOnly; SameSite=Strict`
}

export function clearedCookie(port: number): string {
  return `${loginCookie(port, '')}; Max-Age=0`
}

/** All of that name: a program on another port can put one of its own before ours. */
export function cookiesOf(header: string | undefined, port: number): string[] {
  const start = `${cookieName(port)}=`
  return (header ?? '')
    .split(';')
    .map((each) => each.trim())
    .filter((each) => each.startsWith(start))
    .map((each) => each.slice(start.length))
}

/**
 * Why a request that brings the cookie may not be its owner's. A browser sends it with whatever a page asks for, also a page
 * on another port. What such a page can send without being asked about first (a form, a socket) has to say where it
 * comes from, and to be JSON; that an `Origin` is this very address has been seen to before.
 */
export function whyForged(req: HonoRequest): string | undefined {
  const reads = req.method === 'GET' || req.method === 'HEAD'
  if (reads && req.header('upgrade') === undefined) return undefined
  if (req.header('origin') === undefined) return 'it does not say which page it comes from'
  const isJson = /^application\/json\s*(;|$)/i.test(req.header('content-type') ?? '')
  return reads || isJson ? undefined : 'it is not JSON'
}
