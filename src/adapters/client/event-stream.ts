import { EventSourceParserStream } from 'eventsource-parser/stream'
import { type Clock, pause } from '../../base/lib/clock.ts'

/** One thing the daemon tells: an event, a piece of live text, or how everything stands (`snapshot`). */
export interface StreamFrame {
  /** To resume after it; absent for live text, which is told anew. */
  readonly id: string | undefined
  readonly type: string
  readonly data: unknown
}

/** `lost`: the connection ended, and is being made again. `refused`: the daemon answers, and does not let this reader in. */
export type Connection = 'connecting' | 'live' | 'lost' | 'refused'

export interface FollowOptions {
  /** Opens the stream after that frame. Rejects with a `StreamRefused` where trying again is of no use. */
  readonly open: (after: string | undefined, signal: AbortSignal) => Promise<AsyncIterable<StreamFrame>>
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onConnection?: (connection: Connection) => void
}

export class StreamRefused extends Error {
  override readonly name = 'StreamRefused'
}

/** So long after a connection was lost it is tried again; longer each time, up to the last. */
const patienceMs = [100, 300, 1000, 2000, 5000]

/** Every frame, over lost connections: it goes on after the last one that came. Ends when aborted or refused. */
export async function* follow({ open, clock, signal, onConnection }: FollowOptions): AsyncGenerator<StreamFrame, void> {
  let after: string | undefined
  let failures = 0
  onConnection?.('connecting')
  while (!signal.aborted) {
    try {
      const frames = await open(after, signal)
      onConnection?.('live')
      for await (const frame of frames) {
        failures = -1
        after = frame.id ?? after
        yield frame
      }
    } catch (error) {
      if (error instanceof StreamRefused) return onConnection?.('refused')
    }
    if (signal.aborted) return
    failures = Math.max(0, failures)
    onConnection?.('lost')
    await pause(clock, patienceMs[failures] ?? patienceMs.at(-1)!, signal)
    failures += 1
  }
}

/** Opens `GET /api/stream` as Server-Sent Events. */
export function openEventStream(
  address: string,
  headers: Readonly<Record<string, string>> = {},
): FollowOptions['open'] {
  return async (after, signal) => {
    const response = await fetch(address, {
      headers: { ...headers, ...(after !== undefined && { 'last-event-id': after }) },
      signal,
    })
    if (response.status === 401 || response.status === 403) {
      await response.body?.cancel()
      throw new StreamRefused(`The stream is refused with ${response.status}.`)
    }
    if (!response.ok || response.body === null) throw new Error(`The stream answers with ${response.status}.`)
    return framesOf(response.body)
  }
}

async function* framesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamFrame, void> {
  const decoder = new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>
  const reader = body.pipeThrough(decoder).pipeThrough(new EventSourceParserStream()).getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const { id, event = 'message', data } = read.value
      yield { id, type: event, data: JSON.parse(data) }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
