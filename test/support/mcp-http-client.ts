import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Endpoint } from './call-tool.ts'
import type { Era } from './mcp-clients.ts'

export interface ListedTool {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined
  readonly annotations?: Readonly<Record<string, unknown>> | undefined
}

export interface ToolReply {
  readonly isError?: boolean | undefined
  readonly structuredContent?: Readonly<Record<string, unknown>> | undefined
  readonly content: readonly { readonly type: string; readonly text?: string }[]
}

export interface ClientCall {
  readonly signal?: AbortSignal
  readonly onProgress?: (message: string) => void
}

/** Refuses a structured result that is not as the listed output schema says, as both clients do by themselves. */
export interface HttpClient extends AsyncDisposable {
  /** The protocol version agreed with the server. */
  readonly protocolVersion: string | undefined
  readonly instructions: string | undefined
  listTools(): Promise<readonly ListedTool[]>
  callTool(name: string, args?: Record<string, unknown>, call?: ClientCall): Promise<ToolReply>
}

/** The official client of that era, connected. `headers` are sent with every request, in place of the token of the endpoint. */
export async function mcpOverHttp(
  era: Era,
  { port, token }: Endpoint,
  headers: Record<string, string> = { authorization: `Bearer ${token}` },
  path = '/mcp',
): Promise<HttpClient> {
  const url = new URL(`http://127.0.0.1:${port}${path}`)
  return era === '2025-11-25' ? legacyClient(url, headers) : modernClient(url, headers)
}

const clientInfo = { name: 'test', version: '1.0.0' }

async function legacyClient(url: URL, headers: Record<string, string>): Promise<HttpClient> {
  const client = new LegacyClient(clientInfo)
  const transport = new LegacyTransport(url, { requestInit: { headers } })
  await client.connect(transport)
  return {
    protocolVersion: transport.protocolVersion,
    instructions: client.getInstructions(),
    listTools: async () => (await client.listTools()).tools,
    callTool: async (name, args = {}, call = {}) =>
      (await client.callTool({ name, arguments: args }, undefined, optionsOf(call))) as ToolReply,
    [Symbol.asyncDispose]: () => client.close(),
  }
}

async function modernClient(url: URL, headers: Record<string, string>): Promise<HttpClient> {
  const client = new ModernClient(clientInfo, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await client.connect(new ModernTransport(url, { requestInit: { headers } }))
  return {
    protocolVersion: client.getNegotiatedProtocolVersion(),
    instructions: client.getInstructions(),
    listTools: async () => (await client.listTools()).tools,
    callTool: async (name, args = {}, call = {}) =>
      (await client.callTool({ name, arguments: args }, optionsOf(call))) as ToolReply,
    [Symbol.asyncDispose]: () => client.close(),
  }
}

function optionsOf({ signal, onProgress }: ClientCall) {
  return {
    ...(signal && { signal }),
    ...(onProgress && { onprogress: ({ message }: { message?: string | undefined }) => onProgress(message ?? '') }),
  }
}
