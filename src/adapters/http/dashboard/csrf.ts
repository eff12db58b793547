import type { HonoRequest } from 'hono'

/**
 * Why a request with the cookie may be forged; undefined when it cannot be. A browser also sends the cookie with
 * requests of pages on other ports. Such a page can send a form or open a socket without a preflight request, so these
 * must name their `Origin`, and writes must be JSON. `loopbackOnly` has already checked that an `Origin` is this
 * address.
 */
export function whyPossiblyForged(req: HonoRequest): string | undefined {
  const reads = req.method === 'GET' || req.method === 'HEAD'
  if (reads && req.header('upgrade') === undefined) return undefined
  if (req.header('origin') === undefined) return 'it does not say which page it comes from'
  const isJson = /^application\/json\s*(;|$)/i.test(req.header('content-type') ?? '')
  return reads || isJson ? undefined : 'it is not JSON'
}
