import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually } from './eventually.ts'

export interface Taken {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type Respond = (response: ServerResponse, taken: Taken, attempt: number) => void

/** A person's own endpoint for webhooks, on this machine. */
export class WebhookEndpoint implements AsyncDisposable {
  readonly #server
  readonly taken: Taken[] = []
  readonly #port: number

  static async start(respond: Respond = (response) => response.writeHead(204).end()): Promise<WebhookEndpoint> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new WebhookEndpoint(server, respond)
  }

  private constructor(server: ReturnType<typeof createServer>, respond: Respond) {
    this.#server = server
    this.#port = (server.address() as AddressInfo).port
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      let body = ''
      request.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk
      })
      request.on('end', () => {
        const taken = { path: request.url ?? '', headers: request.headers, body }
        this.taken.push(taken)
        respond(response, taken, this.taken.length)
      })
    })
  }

  get port(): number {
    return this.#port
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hooks/T0SECRET`
  }

  get host(): string {
    return `127.0.0.1:${this.#port}`
  }

  /** The first one of that type, past or to come. */
  message(type: string): Promise<Record<string, unknown>> {
    const find = () => this.taken.map(({ body }) => JSON.parse(body)).find((one) => one.type === type)
    return eventually(find, `the endpoint is sent ${type}`).then(({ data }) => data)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** Standard Webhooks, written down a second time: nothing here comes from what is tested. */
export function standardSignature(key: string | Buffer, id: string, timestamp: string, body: string): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`, 'utf8').digest('base64')}`
}

export interface Signing {
  readonly key: string
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

export function signedBy({ key, id, at }: Signing, body: string): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': standardSignature(key, id, timestamp, body),
  }
}
