import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

/** Server-sent events on one response. `send` waits while the reader is slow and returns false once it is gone. */
export class EventStream {
  readonly #response: ServerResponse
  readonly #signal: AbortSignal

  constructor(response: ServerResponse, signal: AbortSignal) {
    this.#response = response
    this.#signal = signal
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    response.flushHeaders()
  }

  async send(type: string, fields: Record<string, unknown> = {}): Promise<boolean> {
    if (this.#signal.aborted) return false
    if (!this.#response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)) {
      await once(this.#response, 'drain', { signal: this.#signal }).catch(() => {})
    }
    return !this.#signal.aborted
  }

  end(): void {
    this.#response.end()
  }
}
