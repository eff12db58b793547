import { createParser } from 'eventsource-parser'
import type { Endpoint } from './call-tool.ts'
import { eventually } from './eventually.ts'

export interface Received {
  readonly id: string | undefined
  readonly type: string
  readonly data: Record<string, unknown>
}

/** A reader of `/api/stream`, as a browser's EventSource is one. */
export class EventStream implements AsyncDisposable {
  readonly received: Received[] = []
  readonly #gone = new AbortController()
  /** Resolves when the other end has closed it. */
  readonly ended: Promise<void>

  static async open(endpoint: Endpoint, query = '', after?: string): Promise<EventStream> {
    const headers = {
      authorization: `Bearer ${endpoint.token}`,
      ...(after !== undefined && { 'last-event-id': after }),
    }
    return EventStream.at(`http://127.0.0.1:${endpoint.port}/api/stream${query}`, headers)
  }

  static async at(address: string, headers: Readonly<Record<string, string>>): Promise<EventStream> {
    const gone = new AbortController()
    const response = await fetch(address, { headers, signal: gone.signal })
    if (!response.ok || response.body === null) throw new Error(`the stream is refused: ${await response.text()}`)
    return new EventStream(response.body, gone)
  }

  private constructor(body: ReadableStream<Uint8Array>, gone: AbortController) {
    this.#gone = gone
    this.ended = this.#read(body).catch(() => {})
  }

  /** The first that fits, once it is there. */
  next(type: string, fits: (data: Record<string, unknown>) => boolean = () => true): Promise<Received> {
    const find = () => this.received.find((each) => each.type === type && fits(each.data))
    return eventually(find, `${type} comes`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#gone.abort()
    await this.ended
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const parser = createParser({
      onEvent: ({ id, event = 'message', data }) => this.received.push({ id, type: event, data: JSON.parse(data) }),
    })
    const decoder = new TextDecoder()
    for await (const chunk of body) parser.feed(decoder.decode(chunk, { stream: true }))
  }
}
