import { Hono } from 'hono'
import { notFound, wrongMethod } from '../problem.ts'
import type { Routes } from '../routes.ts'
import { createStream, type StreamParts } from '../stream/route.ts'
import { openApi } from './openapi.ts'
import { type ApiParts, methodsByPath, mountOperations } from './operations.ts'
import { referencePage } from './reference-page.ts'

/** `/api`: the operations, their description (a page, OpenAPI) and the stream of events. */
export function createApi(parts: ApiParts & StreamParts): Routes {
  const api: Routes = new Hono()
  let described: string | undefined
  api.get('/api', referencePage)
  api.get('/api/openapi.json', (context) => {
    described ??= JSON.stringify(openApi())
    return context.body(described, 200, { 'content-type': 'application/json' })
  })
  api.route('/', createStream(parts))
  mountOperations(api, parts)
  for (const [path, methods] of methodsByPath()) api.all(path, ({ req }) => wrongMethod(req.method, methods))
  api.all('/api/*', () => {
    throw notFound()
  })
  return api
}
