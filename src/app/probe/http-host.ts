import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Line } from './cli.ts'
import { mcpResult, type PipeHost } from './pipe-host.ts'

/** A minimal MCP server over HTTP, enough to see whether the CLI finds it. */
export interface HttpHost extends AsyncDisposable {
  /** For `--mcp-config`. */
  readonly server: Connection
  /** Parameters of the tool calls with the right credential, oldest first. */
  readonly calls: Line[]
}

interface Connection {
  readonly type: 'http'
  readonly url: string
  readonly headers: { readonly Authorization: string }
}

/** Answers as `host` does, on the loopback interface, for clients with the credential. */
export async function httpHost(host: PipeHost): Promise<HttpHost> {
  const calls: Line[] = []
  const Authorization = `Bearer ${crypto.randomUUID()}`
  const listening = createServer((request, response) => {
    const isAllowed = request.headers.authorization === Authorization
    if (!isAllowed || request.method !== 'POST') return void response.writeHead(isAllowed ? 405 : 401).end()
    void answer(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const message = JSON.parse(await text(request)) as Line
    if (message['id'] === undefined) return void response.writeHead(202).end()
    if (String(message['method']) === 'tools/call') calls.push(message['params'] ?? {})
    const result = mcpResult(host, message)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message['id'], result }))
  }
  const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/mcp`
  return {
    server: { type: 'http', url, headers: { Authorization } },
    calls,
    async [Symbol.asyncDispose]() {
      listening.closeAllConnections()
      await new Promise((resolve) => listening.close(resolve))
    },
  }
}
