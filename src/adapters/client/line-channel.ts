import { type Deferred, deferred } from '../../base/lib/deferred.ts'
import { LineSplitter } from '../../base/lib/line-splitter.ts'
import type { IrisError } from '../../base/protocol/error.ts'
import { isMessage, type JsonRpcId, type JsonRpcMessage, type JsonRpcRequest } from './json-rpc.ts'

/** More than the longest message takes as JSON. */
export const maxLineBytes = 64 * 1024 * 1024

export interface LineChannelParts {
  readonly write: (text: string) => void
  /** Hears of what comes without being an answer: progress, news. Default: nobody does. */
  readonly onNotification?: (message: JsonRpcMessage) => void
  /** The other side said something that is no message. */
  readonly onNonsense: (what: string) => void
}

/** JSON-RPC by lines with somebody who answers, requests side by side. */
export class LineChannel {
  readonly #parts: LineChannelParts
  readonly #open = new Map<JsonRpcId, Deferred<JsonRpcMessage>>()
  readonly #lines: LineSplitter
  #end: IrisError | undefined

  constructor(parts: LineChannelParts) {
    this.#parts = parts
    this.#lines = new LineSplitter({
      maxLineBytes,
      onLine: (line) => this.#receive(line),
      onOversize: () => parts.onNonsense('a line that is too long'),
    })
  }

  /** What came from the other side. */
  push(chunk: Buffer): void {
    this.#lines.push(chunk)
  }

  /** The answer. Throws what the channel ended with; aborting `signal` withdraws the request and throws its reason. */
  async request(message: JsonRpcRequest, signal?: AbortSignal): Promise<JsonRpcMessage> {
    if (this.#end) throw this.#end
    signal?.throwIfAborted()
    const answer = deferred<JsonRpcMessage>()
    const withdraw = (): void => {
      this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: message.id } })
      answer.reject(signal?.reason)
    }
    signal?.addEventListener('abort', withdraw, { once: true })
    this.#open.set(message.id, answer)
    this.send(message)
    try {
      return await answer.promise
    } finally {
      signal?.removeEventListener('abort', withdraw)
      if (this.#open.get(message.id) === answer) this.#open.delete(message.id)
    }
  }

  /** Without waiting for anything. */
  send(message: JsonRpcMessage): void {
    if (this.#end === undefined) this.#parts.write(`${JSON.stringify(message)}\n`)
  }

  /** Nothing more is answered. */
  end(error: IrisError): void {
    this.#end ??= error
    for (const answer of this.#open.values()) answer.reject(error)
    this.#open.clear()
  }

  #receive(line: string): void {
    const message = parsed(line)
    if (!isMessage(message)) return this.#parts.onNonsense('a line that is no JSON-RPC message')
    if (message.method !== undefined) return this.#parts.onNotification?.(message)
    if (message.id !== undefined && message.id !== null) this.#open.get(message.id)?.resolve(message)
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
