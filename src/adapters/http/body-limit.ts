import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'

/**
 * Refuses longer bodies. Node's parser enforces a Content-Length. A body without this header is counted as it arrives.
 */
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
