import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { Line } from '../../src/app/probe/cli.ts'

/** An MCP server over HTTP with the tools `permissions__approve` and `other`, that tells what it was sent. */
export interface McpStub extends AsyncDisposable {
  /** For `--mcp-config`. */
  readonly config: { readonly type: 'http'; readonly url: string; readonly headers: Record<string, string> }
  /** Messages, oldest first, each with the headers it came with. */
  readonly received: { readonly message: Line; readonly headers: IncomingHttpHeaders }[]
  /** The result of a call of `permissions__approve`; undefined leaves it open. Default: allow. */
  approve: (input: Line) => object | undefined
  /** Whether `permissions__approve` is listed. */
  lists: boolean
}

export const stubInstructions = 'Instructions of the stub.'

/** The answer as the CLI takes it: one block of text. */
export function asText(answer: object): object {
  return { content: [{ type: 'text', text: JSON.stringify(answer) }] }
}

export async function startMcpStub(): Promise<McpStub> {
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const message: Line = JSON.parse(body)
      stub.received.push({ message, headers: request.headers })
      if (message.id === undefined) return void response.writeHead(202).end()
      const result = resultOf(stub, message)
      if (result === undefined) return
      const error = { code: -32_601, message: 'no such method' }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(result ? { result } : { error }) }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the stub has no port')
  const stub: McpStub = {
    config: {
      type: 'http',
      url: `http://127.0.0.1:${address.port}/mcp/session`,
      headers: { Authorization: 'Bearer stub' },
    },
    received: [],
    approve: (input) => asText({ behavior: 'allow', updatedInput: input }),
    lists: true,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
  return stub
}

/** Undefined: no answer; null: not known. */
function resultOf(stub: McpStub, { method, params }: Line): object | null | undefined {
  switch (String(method)) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'stub', version: '1' },
        instructions: stubInstructions,
      }
    case 'tools/list':
      return { tools: ['permissions__approve', 'other'].filter((name) => stub.lists || name === 'other').map(toTool) }
    case 'tools/call':
      if (String(params?.name) !== 'permissions__approve') return asText({ from: 'the stub' })
      return stub.approve(params?.arguments?.input ?? {})
    default:
      return null
  }
}

function toTool(name: string) {
  return { name, description: name, inputSchema: { type: 'object' }, _meta: { 'anthropic/alwaysLoad': true } }
}
