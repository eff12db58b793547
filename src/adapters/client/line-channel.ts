import { type Deferred, deferred } from '../../base/lib/deferred.ts'
import { LineSplitter } from '../../base/lib/line-splitter.ts'
import type { IrisError } from '../../base/protocol/error.ts'
import { isMessage, type JsonRpcId, type JsonRpcMessage, type JsonRpcRequest } from './json-rpc.ts'

/** The longest accepted line, in bytes. No message is that long as JSON. */
export const maxLineBytes = 64 * 1024 * 1024

export interface LineChannelParts {
  readonly write: (text: string) => void
  /** Called for messages that are not answers, such as progress or a request. By default, they are dropped. */
  readonly onOther?: ((message: JsonRpcMessage) => void) | undefined
  /** Called when the other side sends something that is not a message; `what` describes it. */
  readonly onNonsense: (what: string) => void
}

/** The client's side of JSON-RPC with one message per line. Several requests may be open at once. */
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

  /** Accepts bytes from the other side. */
  push(chunk: Buffer): void {
    this.#lines.push(chunk)
  }

  /**
   * Sends a request and resolves with the answer. Rejects with the channel's error if the channel ends. If `signal` is
   * aborted, withdraws the request and rejects with the signal's reason.
   */
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

  /** Sends a message without waiting for an answer. Does nothing after the channel has ended. */
  send(message: JsonRpcMessage): void {
    if (this.#end === undefined) this.#parts.write(`${JSON.stringify(message)}\n`)
  }

  /** Ends the channel. Rejects the open requests, and all later ones, with `error`. */
  end(error: IrisError): void {
    this.#end ??= error
    for (const answer of this.#open.values()) answer.reject(error)
    this.#open.clear()
  }

  #receive(line: string): void {
    const message = parsed(line)
    if (!isMessage(message)) return this.#parts.onNonsense('a line that is not a JSON-RPC message')
    if (message.method !== undefined) return this.#parts.onOther?.(message)
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
