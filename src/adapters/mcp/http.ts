import { createMcpHandler, isLegacyRequest, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { Clock } from '../../base/lib/clock.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import type { Log } from '../../base/lib/log.ts'
import { nestsDeeper } from '../../base/lib/nests-deeper.ts'
import { utf8Of } from '../../base/lib/utf8.ts'
import type { AuthContext } from '../../kernel/call/call.ts'
import type { Operations } from '../../kernel/call/operations.ts'
import { answerCall, type ToolCall } from './exchange.ts'
import { incoming } from './incoming.ts'
import { OpenCalls } from './open-calls.ts'
import { createMcpServer } from './server.ts'
import { boundUnread } from './unread.ts'

/**
 * The deepest nesting that Iris accepts in a message. Calls to Iris never come near it. Much deeper messages would make
 * recursive code overflow the stack.
 */
export const deepest = 100

export interface EndpointParts {
  readonly operations: Operations
  readonly clock: Clock
  readonly newId: () => string
  readonly log: Log
}

/** Serves one request of an authenticated caller. */
export type McpEndpoint = (request: Request, auth: AuthContext) => Promise<Response>

/**
 * `/mcp` over streamable HTTP, for both protocol revisions: 2025-11-25 with `initialize`, 2026-07-28 with
 * `server/discover`. Each request has its own server. Only the open calls are kept between requests, so clients do not
 * notice a restart of the daemon.
 */
export function createMcpEndpoint({ operations, clock, newId, log }: EndpointParts): McpEndpoint {
  const serverFor = (auth: AuthContext) =>
    createMcpServer({
      operations,
      log,
      kind: auth.principal.kind,
      isSessionEndpoint: auth.endpoint !== undefined,
      authOf: () => auth,
    })
  const calls = new OpenCalls(newId)
  const handler = createMcpHandler(({ authInfo }) => serverFor(authInfo?.extra?.['auth'] as AuthContext), {
    // If the answer comes at once, a JSON body. From the first progress on, a stream.
    responseMode: 'auto',
    onerror: (error) => log.debug(`mcp: ${error.message}`),
  })
  const onUnread = (unreadBytes: number): void =>
    log.warn('A client of /mcp does not read its answer, so Iris ended the stream', { unreadBytes })
  return async (request, auth) => boundUnread(await serve(request, auth), onUnread)

  async function serve(request: Request, auth: AuthContext): Promise<Response> {
    const authInfo = { token: '', clientId: auth.principal.kind, scopes: [], extra: { auth } }
    // `Operations.call` counts calls to tools, for all adapters. Other requests are counted here.
    if (!isJsonPost(request)) {
      operations.count(auth)
      return handler.fetch(request, { authInfo })
    }
    const text = utf8Of(await request.arrayBuffer())
    if (text === undefined) return unreadable(ProtocolErrorCode.ParseError, 'Parse error: the body is not UTF-8.')
    if (nestsDeeper(text, deepest))
      return unreadable(ProtocolErrorCode.InvalidRequest, `The body is nested deeper than ${deepest} levels.`)
    const body = parseJson(text)
    if (body === undefined) return unreadable(ProtocolErrorCode.ParseError, 'Parse error: the body is not JSON.')
    const { message: parsedBody, problem } = isRecord(body) ? incoming(body) : { message: body }
    if (problem !== undefined) return refused(body, problem)
    if (!isToolCall(parsedBody)) operations.count(auth)
    const sender = { auth, headers: request.headers }
    calls.withdrawIfCancelled(sender, parsedBody)
    if (isToolCall(parsedBody) && (await isLegacyRequest(request, parsedBody))) {
      const opened = (call: AbortController) => calls.add(sender, parsedBody.id, call)
      return answerCall(serverFor(auth), parsedBody, request.signal, clock.machine, opened)
    }
    const response = await handler.fetch(request, { parsedBody, authInfo })
    return isRecord(parsedBody) && parsedBody['method'] === 'initialize' ? calls.giveSessionId(response) : response
  }
}

function isJsonPost({ method, headers }: Request): boolean {
  // The SDK ignores case here. Whatever the SDK would read as JSON must pass the checks here first.
  return method === 'POST' && (headers.get('content-type') ?? '').trim().toLowerCase().startsWith('application/json')
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

/** The status is 200, because the request was read. In JSON-RPC, the error is in the answer. */
function refused(body: unknown, message: string): Response {
  const id = isRecord(body) ? body['id'] : null
  return Response.json({ jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InvalidParams, message } })
}

/** The status is 400, because there is no request to answer, and MCP asks for an HTTP error in that case. */
function unreadable(code: number, what: string): Response {
  const error = { code, message: `${what} Send one JSON-RPC message.` }
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 400 })
}
