import { isRecord } from '../../base/lib/is-record.ts'

/**
 * The open calls of one client by request id, so that the client can withdraw them. Claude Code 2.1.197 withdraws a
 * call in a separate request and leaves the call's stream open.
 */
export class OpenCalls {
  readonly #open = new Map<unknown, AbortController>()

  opened(id: unknown, call: AbortController): void {
    this.#open.set(id, call)
  }

  ended(id: unknown): void {
    this.#open.delete(id)
  }

  /** Withdraws the call that a `notifications/cancelled` names. */
  take(message: unknown): void {
    if (!isRecord(message) || message['method'] !== 'notifications/cancelled' || !isRecord(message['params'])) return
    this.#open.get(message['params']['requestId'])?.abort()
  }
}
