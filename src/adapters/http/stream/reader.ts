import type { Clock } from '../../../base/lib/clock.ts'
import type { Audience, BatchCache, Place } from './batch-cache.ts'
import type { EventLog } from './event-log.ts'
import { type Batch, beat, beatMs } from './frame.ts'

export interface ReaderParts {
  readonly log: EventLog
  readonly cache: BatchCache
  readonly clock: Clock
  /** Names this start of the daemon; the numbers of another start mean nothing. */
  readonly epoch: string
  /** The current state without the running turns. */
  readonly snapshot: () => Promise<Record<string, unknown>>
}

/**
 * Yields the frames for one reader: a snapshot of the current state, then every change, in order. The reader pulls, so
 * a slow one delays only itself. A reader too far behind gets a new snapshot. `after`: the id of the last frame it has,
 * from which it resumes without a snapshot.
 */
export async function* read(
  { log, cache, clock, epoch, snapshot }: ReaderParts,
  audience: Audience,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Batch, void> {
  const leave = log.join()
  const cursor = numberIn(after, epoch)
  let place: Place | undefined = cursor === undefined ? undefined : { cursor, textFlush: undefined }
  let spokeAt = clock.elapsed()
  try {
    while (!signal.aborted) {
      const flush = log.flushes.count
      const cached = place && cache.after(place, audience)
      if (cached === undefined) {
        const cursor = log.last
        const status = await snapshot()
        log.texts.gather()
        place = { cursor, textFlush: log.texts.last }
        yield [
          {
            id: `${epoch}-${cursor}`,
            type: 'snapshot',
            json: JSON.stringify({ ...status, turns: log.texts.turns.filter(audience.mayRead) }),
          },
        ]
        continue
      }
      place = cached.place
      if (cached.batch.length > 0) {
        yield cached.batch
        spokeAt = clock.elapsed()
      }
      if (cached.isFull) continue
      await log.flushes.after(flush, spokeAt + beatMs - clock.elapsed(), signal)
      if (clock.elapsed() - spokeAt < beatMs) continue
      spokeAt = clock.elapsed()
      yield beat
    }
  } finally {
    leave()
  }
}

/** The number in an id of this start of the daemon; undefined for other ids. */
export function numberIn(id: string | undefined, epoch: string): number | undefined {
  if (id?.startsWith(`${epoch}-`) !== true) return undefined
  const sequence = Number(id.slice(epoch.length + 1))
  return Number.isSafeInteger(sequence) ? sequence : undefined
}
