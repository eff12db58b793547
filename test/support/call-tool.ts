import { createParser } from 'eventsource-parser'
import type { TurnResult } from '../../src/base/protocol/turn.ts'

export interface Endpoint {
  readonly port: number
  readonly token: string
  /** Default: `/mcp`. */
  readonly path?: string
}

export interface ToolCall {
  readonly signal?: AbortSignal
  /** As the bridge says where it was started. */
  readonly directory?: string
  readonly meta?: Readonly<Record<string, unknown>>
  readonly onProgress?: (message: string) => void
}

export interface ToolError {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly remedy: string
    readonly retryAfterMs?: number
  }
}

/** One `tools/call` on the daemon's MCP endpoint, as a plain HTTP client makes it. */
export async function callTool(
  endpoint: Endpoint,
  name: string,
  args: object = {},
  call: ToolCall = {},
): Promise<Record<string, unknown>> {
  const progressToken = call.onProgress ? { progressToken: 1 } : {}
  const response = await fetch(`http://127.0.0.1:${endpoint.port}${endpoint.path ?? '/mcp'}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${endpoint.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(call.directory !== undefined && { 'iris-project-directory': encodeURIComponent(call.directory) }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args, _meta: { ...progressToken, ...call.meta } },
    }),
    ...(call.signal && { signal: call.signal }),
  })
  let answer: Record<string, unknown> | undefined
  const parser = createParser({
    onEvent: ({ data }) => {
      const message = JSON.parse(data)
      if (message.method === 'notifications/progress') call.onProgress?.(message.params.message)
      else answer = message
    },
  })
  // An answer that comes at once is a JSON body, a later one the end of a stream.
  if (response.headers.get('content-type')?.startsWith('application/json'))
    answer = (await response.json()) as typeof answer
  else for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) parser.feed(chunk)
  if (answer === undefined) throw new Error(`the stream of ${name} ended without an answer (HTTP ${response.status})`)
  if (answer['error']) throw new Error(`JSON-RPC error: ${JSON.stringify(answer['error'])}`)
  const result = answer['result'] as { structuredContent?: Record<string, unknown>; content: { text: string }[] }
  return result.structuredContent ?? JSON.parse(result.content[0]!.text)
}

export async function ask(
  endpoint: Endpoint,
  to: string,
  message: string,
  args: object = {},
  call: ToolCall = {},
): Promise<TurnResult> {
  const answer = await callTool(endpoint, 'send_message', { toTeam: to, message, timeout: 0, ...args }, call)
  if ('error' in answer) throw new Error(`refused: ${JSON.stringify(answer['error'])}`)
  return answer as TurnResult
}

/** The refusal of a call that must be refused. */
export async function refusal(
  endpoint: Endpoint,
  name: string,
  args: object,
  call: ToolCall = {},
): Promise<ToolError['error']> {
  const answer = await callTool(endpoint, name, args, call)
  if (!('error' in answer)) throw new Error(`not refused: ${JSON.stringify(answer)}`)
  return (answer as unknown as ToolError).error
}
