import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server'
import { isRecord } from '../lib/is-record.ts'
import type { Log } from '../lib/log.ts'
import type { Caller, Domain } from '../operations/call.ts'
import { answerCall, type ToolCall } from './exchange.ts'
import { createMcpServer } from './server.ts'

/** Serves one request of a caller that has been let in. */
export type McpEndpoint = (request: Request, caller: Caller) => Promise<Response>

/**
 * `/mcp` over streamable HTTP, for both protocol eras: 2025-11-25 with `initialize`, 2026-07-28 with `server/discover`.
 * Each request has a server of its own and nothing is kept between them, so a restart of the daemon costs a client
 * nothing.
 */
export function createMcpEndpoint(domain: Domain, log: Log): McpEndpoint {
  const serverFor = (caller: Caller) => createMcpServer({ domain, log, kind: caller.kind, callerOf: () => caller })
  const handler = createMcpHandler(({ authInfo }) => serverFor(authInfo?.extra?.['caller'] as Caller), {
    // One body when the answer is there at once, a stream from the first progress on.
    responseMode: 'auto',
    onerror: (error) => log.debug(`mcp: ${error.message}`),
  })
  return async (request, caller) => {
    const authInfo = { token: '', clientId: caller.kind, scopes: [], extra: { caller } }
    if (!isJsonPost(request)) return handler.fetch(request, { authInfo })
    const text = await request.text()
    const parsedBody = parseJson(text)
    if (parsedBody === undefined) return unreadable()
    if (isToolCall(parsedBody) && (await isLegacyRequest(request, parsedBody))) {
      return answerCall(serverFor(caller), parsedBody, request.signal, domain.clock)
    }
    return handler.fetch(request, { parsedBody, authInfo })
  }
}

function isJsonPost({ method, headers }: Request): boolean {
  return method === 'POST' && (headers.get('content-type') ?? '').startsWith('application/json')
}

function isToolCall(body: unknown): body is ToolCall {
  if (!isRecord(body) || body['jsonrpc'] !== '2.0' || body['method'] !== 'tools/call') return false
  return (typeof body['id'] === 'string' || typeof body['id'] === 'number') && isRecord(body['params'])
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function unreadable(): Response {
  const error = { code: -32_700, message: 'Parse error: the body is not JSON. Send one JSON-RPC message.' }
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 400 })
}
