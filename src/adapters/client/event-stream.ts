import { type Clock, pause } from '../../base/lib/clock.ts'

/** One frame of the daemon's stream: an event, a piece of live text, or the whole current state (`snapshot`). */
export interface StreamFrame {
  /** Where a reader resumes. Absent for live text, which the daemon sends as a whole to a reader that resumes. */
  readonly id: string | undefined
  readonly type: string
  readonly data: unknown
}

/**
 * `lost`: the connection ended, and the client is reconnecting. `refused`: the daemon does not authorize this reader.
 */
export type Connection = 'connecting' | 'live' | 'lost' | 'refused'

export interface FollowOptions {
  /** Opens the stream after the frame with the id `after`. Rejects with a `StreamRefused` if a retry cannot help. */
  readonly open: (after: string | undefined, signal: AbortSignal) => Promise<AsyncIterable<StreamFrame>>
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onConnection?: (connection: Connection) => void
}

export class StreamRefused extends Error {
  override readonly name = 'StreamRefused'
}

/** Pauses before the attempts to reconnect, in milliseconds. The last pause repeats. */
const patienceMs = [100, 300, 1000, 2000, 5000]

/** Yields every frame. After a lost connection, it resumes after the last frame. Ends when it is aborted or refused. */
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
