import { isRecord } from '../../base/lib/is-record.ts'

/**
 * The calls of one client that counts its requests by itself, to take them back by number: Claude Code 2.1.197 does so in
 * a request of its own, and leaves the stream of the call open.
 */
export class OpenCalls {
  readonly #open = new Map<unknown, AbortController>()

  opened(id: unknown, call: AbortController): void {
    this.#open.set(id, call)
  }

  ended(id: unknown): void {
    this.#open.delete(id)
  }

  /** Withdraws the call that a `notifications/cancelled` is about. */
  take(message: unknown): void {
    if (!isRecord(message) || message['method'] !== 'notifications/cancelled' || !isRecord(message['params'])) return
    this.#open.get(message['params']['requestId'])?.abort()
  }
}
