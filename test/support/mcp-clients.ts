import { Client as ModernClient } from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { nodeArguments } from '../../src/app/cli/spawn-daemon.ts'
import type { TurnResult } from '../../src/base/protocol/turn.ts'
import type { Installation } from './program.ts'

/** The two protocol eras, each spoken by the SDK that its clients use. */
export const eras = ['2025-11-25', '2026-07-28'] as const
export type Era = (typeof eras)[number]

interface CallOptions {
  readonly signal?: AbortSignal
  readonly onprogress?: (progress: { message?: string | undefined }) => void
}

export interface McpClient extends AsyncDisposable {
  readonly protocolVersion: string | undefined
  toolNames(): Promise<string[]>
  /** The structured result of a tool, or the error object that Iris put in its text. */
  call(name: string, args?: object, options?: CallOptions): Promise<Record<string, unknown>>
  ask(to: string, message: string, args?: object, options?: CallOptions): Promise<TurnResult>
  close(): Promise<void>
}

export interface BridgeOptions {
  /** Where the bridge is started. */
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/** A real MCP client on a real `iris mcp`. */
export async function mcpClient(iris: Installation, era: Era, { cwd, env = {} }: BridgeOptions): Promise<McpClient> {
  const server = {
    command: process.execPath,
    args: nodeArguments('mcp'),
    cwd,
    env: { ...iris.env, ...env },
    stderr: 'ignore' as const,
  }
  const info = { name: 'test', version: '1' }
  const connected = era === '2025-11-25' ? await legacy(info, server) : await modern(info, server)
  const call: McpClient['call'] = async (name, args = {}, options = {}) => {
    const result = await connected.call({ name, arguments: { ...args } }, { timeout: 60_000, ...options })
    const { structuredContent, content } = result as { structuredContent?: object; content: { text: string }[] }
    return { ...(structuredContent ?? JSON.parse(content[0]!.text)) }
  }
  return {
    protocolVersion: connected.protocolVersion,
    toolNames: connected.toolNames,
    call,
    ask: async (to, message, args = {}, options = {}) =>
      (await call('send_message', { toTeam: to, message, timeout: 0, ...args }, options)) as unknown as TurnResult,
    close: connected.close,
    [Symbol.asyncDispose]: connected.close,
  }
}

type Server = ConstructorParameters<typeof LegacyStdio>[0] & { stderr: 'ignore' }

async function legacy(info: { name: string; version: string }, server: Server) {
  const client = new LegacyClient(info)
  let protocolVersion: string | undefined
  const setProtocolVersion = (version: string): void => {
    protocolVersion = version
  }
  const transport = Object.assign(new LegacyStdio(server), { setProtocolVersion })
  await client.connect(transport)
  return {
    protocolVersion,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (params: { name: string; arguments: Record<string, unknown> }, options: object) =>
      client.callTool(params, undefined, options),
    close: () => client.close(),
  }
}

async function modern(info: { name: string; version: string }, server: Server) {
  const client = new ModernClient(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await client.connect(new ModernStdio(server))
  return {
    protocolVersion: client.getNegotiatedProtocolVersion(),
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (params: { name: string; arguments: Record<string, unknown> }, options: object) =>
      client.callTool(params, options),
    close: () => client.close(),
  }
}
