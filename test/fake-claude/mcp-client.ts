import type { Host } from './host.ts'

export interface McpTool {
  readonly name: string
}

interface RpcResponse {
  readonly result?: Record<string, unknown>
  readonly error?: { readonly message?: string }
}

/** The CLI's side of one MCP server that lives in the host: JSON-RPC inside control requests. */
export class McpClient {
  readonly name: string
  readonly #host: Host
  #nextId = 0
  #tools: readonly McpTool[] = []
  #serverInfo: unknown

  constructor(name: string, host: Host) {
    this.name = name
    this.#host = host
  }

  get tools(): readonly McpTool[] {
    return this.#tools
  }

  get serverInfo(): unknown {
    return this.#serverInfo
  }

  /** The request goes out in this very call; the rest of the handshake follows its answer. */
  async connect(): Promise<void> {
    const hello = await this.#request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'claude-code', title: 'Claude Code fake', version: '9.9.9' },
    })
    this.#serverInfo = hello['serverInfo']
    await this.#send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    const listed = await this.#request('tools/list', undefined)
    this.#tools = Array.isArray(listed['tools']) ? listed['tools'] : []
  }

  /** The result of `tools/call`. A JSON-RPC error rejects with its message. */
  call(name: string, input: unknown, toolUseId: string): Promise<Record<string, unknown>> {
    const meta = { 'claudecode/toolUseId': toolUseId, progressToken: this.#nextId }
    return this.#request('tools/call', { name, arguments: input, _meta: meta })
  }

  async #request(method: string, params: unknown): Promise<Record<string, unknown>> {
    const id = this.#nextId++
    const message = { method, ...(params === undefined ? {} : { params }), jsonrpc: '2.0', id }
    const { error, result = {} } = await this.#send(message, () => this.#cancel(id))
    if (error !== undefined) throw new Error(error.message ?? 'MCP error')
    return result
  }

  #cancel(requestId: number): void {
    const params = { requestId, reason: 'AbortError: remote-cancel' }
    this.#send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => {})
  }

  async #send(message: Record<string, unknown>, withdraw?: () => void): Promise<RpcResponse> {
    const request = { subtype: 'mcp_message', server_name: this.name, message }
    const answer = await this.#host.ask(request, withdraw)
    return answer['mcp_response'] ?? {}
  }
}
