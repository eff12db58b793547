import type { JSONRPCMessage, JSONRPCRequest, Transport } from '@modelcontextprotocol/server'
import { isRecord } from '../lib/is-record.ts'
import { createMcpServer, type Face } from './server.ts'

/**
 * Iris's tools for one process, over the very pipe Iris holds: the pipe says who is asking. Requests come in as control
 * messages and are answered one by one, so this transport pairs each answer with its request.
 */
export class PipeServer {
  readonly #transport = new PipeTransport()
  readonly #connected: Promise<void>

  constructor(face: Omit<Face, 'gone'>) {
    this.#connected = createMcpServer({ ...face, gone: undefined }).connect(this.#transport)
  }

  /** The answer to one JSON-RPC message; undefined for a notification. `signal` withdraws a request. */
  async receive(message: unknown, signal: AbortSignal): Promise<unknown> {
    await this.#connected
    if (!isRecord(message)) throw new Error('not a JSON-RPC message')
    const jsonrpc = message as unknown as JSONRPCMessage
    if (!('id' in jsonrpc && 'method' in jsonrpc)) {
      this.#transport.onmessage?.(jsonrpc)
      return undefined
    }
    return this.#transport.request(jsonrpc, signal)
  }
}

class PipeTransport implements Transport {
  onmessage: NonNullable<Transport['onmessage']> | undefined
  onclose: (() => void) | undefined
  onerror: ((error: Error) => void) | undefined
  readonly #open = new Map<string | number, (answer: JSONRPCMessage) => void>()

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.()
  }

  /** Answers find their request; what the server says of its own accord (progress) the CLI has no use for here. */
  async send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message || message.id === undefined) return
    this.#open.get(message.id)?.(message)
    this.#open.delete(message.id)
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
