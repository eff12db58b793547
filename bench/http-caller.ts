import { Agent, request } from 'node:http'
import type { Endpoint } from '../test/support/call-tool.ts'

/** An MCP client over HTTP that costs as little as possible: one kept connection, no schema checks. */
export class HttpCaller {
  readonly #endpoint: Endpoint
  readonly #agent: Agent

  /** `keepAlive: false`: a new connection for each call. */
  constructor(endpoint: Endpoint, { keepAlive = true, maxSockets = 64 } = {}) {
    this.#endpoint = endpoint
    this.#agent = new Agent({ keepAlive, maxSockets })
  }

  call(name: string, args: object): Promise<Record<string, unknown>> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })
    const headers = {
      authorization: `Bearer ${this.#endpoint.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': Buffer.byteLength(body),
    }
    return new Promise((resolve, reject) => {
      const outgoing = request({
        host: '127.0.0.1',
        port: this.#endpoint.port,
        path: '/mcp',
        method: 'POST',
        headers,
        agent: this.#agent,
      })
      outgoing.once('error', reject)
      outgoing.once('response', (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk) => {
          text += chunk
        })
        response.once('end', () => {
          const isJson = response.headers['content-type']?.startsWith('application/json') === true
          const data = isJson
            ? text
            : text
                .split('\n')
                .findLast((line) => line.startsWith('data: {'))
                ?.slice(6)
          if (data === undefined) return reject(new Error(`no answer: ${text.slice(0, 200)}`))
          const { result } = JSON.parse(data)
          if (result?.structuredContent === undefined) return reject(new Error(`${name}: ${data.slice(0, 500)}`))
          resolve(result.structuredContent)
        })
      })
      outgoing.end(body)
    })
  }

  async send(toTeam: string, message: string, more: object = {}): Promise<Record<string, unknown>> {
    const result = await this.call('send_message', { toTeam, message, timeout: 0, ...more })
    if (result['status'] !== 'completed')
      throw new Error(`a turn of the bench did not complete: ${JSON.stringify(result)}`)
    return result
  }

  close(): void {
    this.#agent.destroy()
  }
}
