import type { Clock } from '../../../base/lib/clock.ts'
import type { Audience, BatchCache, Place } from './batch-cache.ts'
import type { EventLog } from './event-log.ts'
import { type Batch, beat, beatMs } from './frame.ts'

export interface ReaderParts {
  readonly log: EventLog
  readonly cache: BatchCache
  readonly clock: Clock
  /** Of this start of the daemon: numbers of another one mean nothing. */
  readonly epoch: string
  /** How things stand, but for the turns that are being answered. */
  readonly snapshot: () => Promise<Record<string, unknown>>
}

/**
 * What one reader is given: how things stand, then every change, in order. Pulled, so that who does not drain waits alone;
 * who has fallen too far behind is told anew how things stand. `after`: the id of the last frame it has.
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
          { id: `${epoch}-${cursor}`, type: 'snapshot', json: JSON.stringify({ ...status, turns: log.texts.told }) },
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

/** The number in an id of this start of the daemon. */
export function numberIn(id: string | undefined, epoch: string): number | undefined {
  if (id?.startsWith(`${epoch}-`) !== true) return undefined
  const sequence = Number(id.slice(epoch.length + 1))
  return Number.isSafeInteger(sequence) ? sequence : undefined
}
