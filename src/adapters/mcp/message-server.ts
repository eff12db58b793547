import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  Server,
  Transport,
} from '@modelcontextprotocol/server'

/**
 * An MCP server that takes messages one by one and answers each. It serves a pipe whose messages wrap those of MCP, or
 * an HTTP exchange with a single call.
 */
export class MessageServer {
  readonly #transport: OneByOne
  readonly #connected: Promise<void>

  /** `onNotification` gets the server's notifications, such as the progress of an open call. */
  constructor(server: Server, onNotification: (notification: JSONRPCNotification) => void = () => {}) {
    this.#transport = new OneByOne(onNotification)
    this.#connected = server.connect(this.#transport)
  }

  /** Resolves to the answer to a request, or to undefined for a notification. `signal` withdraws the request. */
  async receive(message: JSONRPCMessage, signal: AbortSignal): Promise<JSONRPCMessage | undefined> {
    await this.#connected
    if ('id' in message && 'method' in message) return this.#transport.request(message, signal)
    this.#transport.onmessage?.(message)
    return undefined
  }
}

class OneByOne implements Transport {
  onmessage: NonNullable<Transport['onmessage']> | undefined
  onclose: (() => void) | undefined
  onerror: ((error: Error) => void) | undefined
  readonly #onNotification: (notification: JSONRPCNotification) => void
  readonly #open = new Map<string | number, (answer: JSONRPCMessage) => void>()

  constructor(onNotification: (notification: JSONRPCNotification) => void) {
    this.#onNotification = onNotification
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message) {
      if (!('id' in message)) this.#onNotification(message)
    } else if (message.id !== undefined) {
      this.#open.get(message.id)?.(message)
      this.#open.delete(message.id)
    }
  }

  request(message: JSONRPCRequest, signal: AbortSignal): Promise<JSONRPCMessage> {
    return new Promise((resolve) => {
      this.#open.set(message.id, resolve)
      signal.addEventListener('abort', () => {
        this.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: message.id } })
        this.#open.delete(message.id)
        resolve({ jsonrpc: '2.0', id: message.id, error: { code: -32_800, message: 'withdrawn' } })
      })
      this.onmessage?.(message)
    })
  }
}
