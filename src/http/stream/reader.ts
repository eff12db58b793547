import type { Clock } from '../../lib/clock.ts'
import type { PublishedEvent } from '../../protocol/event.ts'
import type { EventLog } from './event-log.ts'
import { type Batch, beat, beatMs, type Frame } from './frame.ts'

/** Only what concerns one of these; absent: everything. Events that concern no team in particular always pass. */
export interface Filter {
  readonly team?: readonly string[]
  readonly session?: readonly string[]
  readonly turn?: readonly string[]
}

export interface ReaderParts {
  readonly log: EventLog
  readonly clock: Clock
  /** Of this start of the daemon: numbers of another one mean nothing. */
  readonly epoch: string
  /** How things stand, but for the turns that are being answered. */
  readonly snapshot: () => Promise<Record<string, unknown>>
  /** Whether this reader may see the event at all. */
  readonly maySee: (event: PublishedEvent) => boolean
}

/**
 * What one reader is given: how things stand, then every change, in order. Pulled, so that who does not drain waits alone;
 * who has fallen too far behind is told anew how things stand. `after`: the id of the last frame it has.
 */
export async function* read(
  { log, clock, epoch, snapshot, maySee }: ReaderParts,
  filter: Filter,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Batch, void> {
  const leave = log.join()
  let cursor = numberIn(after, epoch)
  let textWave: number | undefined
  let spokeAt = clock.elapsed()
  try {
    while (!signal.aborted) {
      const wave = log.waves.count
      const events = cursor === undefined ? undefined : log.since(cursor)
      if (events === undefined) {
        cursor = log.last
        const status = await snapshot()
        log.texts.gather()
        textWave = log.texts.last
        const json = JSON.stringify({ ...status, turns: log.texts.told })
        yield [{ id: `${epoch}-${cursor}`, type: 'snapshot', json }]
        continue
      }
      const batch = new Frames()
      for (const logged of events) {
        if (batch.isFull) break
        const { event } = logged
        cursor = event.sequence
        if (!maySee(event) || !concerns(filter, event)) continue
        batch.add({ id: `${epoch}-${cursor}`, type: event.type, json: logged.json })
      }
      if (!batch.isFull) {
        // After the events, of which one may be the beginning of its turn.
        for (const { turn, json } of log.texts.since(textWave)) {
          if (concerns(filter, turn)) batch.add({ type: 'turn-text', json })
        }
        textWave = log.texts.last
      }
      if (batch.frames.length > 0) {
        yield batch.frames
        spokeAt = clock.elapsed()
        if (batch.isFull) continue
      }
      await log.waves.after(wave, spokeAt + beatMs - clock.elapsed(), signal)
      if (clock.elapsed() - spokeAt < beatMs) continue
      spokeAt = clock.elapsed()
      yield beat
    }
  } finally {
    leave()
  }
}

/** About so much goes out in one piece, so that no more is made for who does not take it. */
const mostBatchLength = 64 * 1024

class Frames {
  readonly frames: Frame[] = []
  #length = 0

  get isFull(): boolean {
    return this.#length >= mostBatchLength
  }

  add(frame: Frame): void {
    this.frames.push(frame)
    this.#length += frame.json.length
  }
}

/** The number in an id of this start of the daemon. */
export function numberIn(id: string | undefined, epoch: string): number | undefined {
  if (id?.startsWith(`${epoch}-`) !== true) return undefined
  const sequence = Number(id.slice(epoch.length + 1))
  return Number.isSafeInteger(sequence) ? sequence : undefined
}

/** What of an event says whom it concerns. */
type Concern = Partial<Record<'from' | 'to' | 'teamName' | 'sessionId' | 'turnId', unknown>>

function concerns({ team, session, turn }: Filter, event: object): boolean {
  const { from, to, teamName, sessionId, turnId }: Concern = event
  return isAmong(team, from, to, teamName) && isAmong(session, sessionId) && isAmong(turn, turnId)
}

function isAmong(wanted: readonly string[] | undefined, ...named: readonly unknown[]): boolean {
  if (wanted === undefined) return true
  const names = named.filter((name) => typeof name === 'string')
  return names.length === 0 || names.some((name) => wanted.includes(name))
}
