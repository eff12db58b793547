import { setImmediate as pause } from 'node:timers/promises'
import type { Clock } from '../../../base/lib/clock.ts'
import type { KeptEvent } from '../../../features/events/contract.ts'
import type { Audience, BatchCache } from './batch-cache.ts'
import type { EventLog } from './event-log.ts'
import { concerns } from './filter.ts'
import { type Batch, beat, beatMs, type Frame, type Place } from './frame.ts'
import { jsonWith } from './shared-state.ts'

/** The events that the store keeps, by the numbers of their rows. */
export interface KeptEvents {
  /** The number of the last row that would survive a power cut. */
  confirmed(): Promise<number>
  /** The number in a cursor. Undefined for a cursor that this store does not know. */
  sequenceOf(cursor: string): number | undefined
  first(): string
  page(
    after: number,
    upTo: number,
    limit: number,
    fits: (event: KeptEvent) => boolean,
  ): { readonly events: readonly KeptEvent[]; readonly last: number }
}

export interface ReaderParts {
  readonly log: EventLog
  readonly cache: BatchCache
  readonly clock: Clock
  /** Identifies this start of the daemon. The numbers of another start mean nothing here. */
  readonly epoch: string
  /** The current state without the running turns. */
  readonly snapshot: () => Promise<Readonly<Record<string, unknown>>>
  /**
   * The kept events, for a reader that needs the events that it has missed. If undefined, the reader gets a snapshot
   * instead.
   */
  readonly kept: KeptEvents | undefined
}

const keptAtOnce = 200

/**
 * Yields the frames for one reader: a snapshot of the current state, then every change, in order. The reader pulls, so
 * a slow reader delays only itself. `after`: the id of the last frame that the reader has, after which it resumes
 * without a snapshot. If memory no longer has all frames after that one, the reader gets a `gap`, then the missing
 * events from the store, then all events in memory, and finally a new snapshot. The same happens to a reader that falls
 * too far behind.
 */
export async function* read(
  parts: ReaderParts,
  audience: Audience,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Batch, void> {
  const { log, cache, clock, epoch, snapshot, kept } = parts
  const leave = log.join()
  /** The journal row up to which the reader has its events. Undefined if the reader begins now. */
  let rows = after === undefined ? undefined : (kept?.sequenceOf(cursorIn(after)) ?? unknown)
  // A cursor of `GET /api/events` names a row alone.
  const cursor = eventIn(after, epoch) ?? (rows === undefined ? undefined : log.placeAfter(rows))
  let place: Place | undefined = cursor === undefined ? undefined : { cursor, textFlush: undefined, rows: rows ?? 0 }
  /** Whether the reader is behind. It gets a snapshot when it has all events. */
  let isBehind = false
  let spokeAt = clock.elapsed()
  async function* present(at: Pick<Place, 'cursor' | 'rows'>): AsyncGenerator<Batch, void> {
    const status = await snapshot()
    log.texts.gather()
    const json = jsonWith({ turns: log.texts.turns.filter(audience.mayRead) }, status)
    place = { ...at, textFlush: log.texts.last }
    rows = Math.max(at.rows, rows ?? 0)
    isBehind = false
    yield [{ id: `${epoch}-${at.rows}.${at.cursor}`, type: 'snapshot', json }]
  }
  try {
    if (cursor !== undefined && kept !== undefined && audience.hearsLines && log.hasLostLines(cursor)) yield gap()
    while (!signal.aborted) {
      const flush = log.flushes.count
      const cached = place && cache.after(place, audience)
      if (cached === undefined) {
        const now = { cursor: log.last, rows: log.publishedUpTo }
        const { forgotten } = log
        if (rows !== undefined && kept !== undefined)
          rows = yield* catchUp(rows, forgotten.rows, kept, audience, signal)
        isBehind = rows !== undefined && rows !== unknown && kept !== undefined
        if (isBehind) place = { ...forgotten, textFlush: log.texts.last }
        else yield* present(now)
        continue
      }
      place = cached.place
      const batch = newOf(cached.batch, rows ?? 0)
      rows = Math.max(place.rows, rows ?? 0)
      if (batch.length > 0) {
        yield batch
        spokeAt = clock.elapsed()
      }
      if (cached.isFull) continue
      if (isBehind) {
        yield* present(place)
        continue
      }
      await log.flushes.after(flush, spokeAt + beatMs - clock.elapsed(), signal)
      if (clock.elapsed() - spokeAt < beatMs) continue
      spokeAt = clock.elapsed()
      yield beat
    }
  } finally {
    leave()
  }
}

/** The position of a reader whose last id this store does not know. */
const unknown = -1

/**
 * Yields a gap, then the events of the rows after `from` up to `upTo`. Returns the last row that the reader now has. If
 * the reader's position is unknown, the gap says where the kept events begin, and no events follow.
 */
async function* catchUp(
  from: number,
  upTo: number,
  kept: KeptEvents,
  { maySee, shown, filter }: Audience,
  signal: AbortSignal,
): AsyncGenerator<Batch, number> {
  const confirmed = await kept.confirmed()
  yield gap(from === unknown ? kept.first() : undefined)
  if (from === unknown) return unknown
  const until = Math.min(confirmed, upTo)
  for (let last = from; last < until && !signal.aborted; await pause()) {
    const page = kept.page(last, until, keptAtOnce, (event) => maySee(event) && concerns(filter, event))
    last = page.last
    if (page.events.length > 0) yield page.events.map((event) => frameOf(event, shown))
  }
  return Math.max(from, until)
}

/** `first`: the first cursor that the store knows. */
function gap(first?: string): Batch {
  return [{ type: 'gap', json: JSON.stringify({ gap: true, first }) }]
}

function frameOf(event: KeptEvent, shown: Audience['shown']): Frame {
  return { id: event.cursor, type: event.type, json: JSON.stringify(shown === undefined ? event : shown(event)) }
}

/** Leaves out the events that the reader already has from the store. */
function newOf(batch: Batch, rows: number): Batch {
  const isOld = ({ row }: Frame): boolean => row !== undefined && row <= rows
  return batch.some(isOld) ? batch.filter((frame) => !isOld(frame)) : batch
}

/** The cursor in the id of a frame. The rest of the id is the number of the event in this start of the daemon. */
function cursorIn(id: string): string {
  return id.replace(/\.\d+$/, '')
}

/** The number of the event in a frame's id. Undefined if the id comes from a different run of the daemon. */
function eventIn(id: string | undefined, epoch: string): number | undefined {
  if (id?.startsWith(`${epoch}-`) !== true) return undefined
  const number = /^\d+\.(\d{1,15})$/.exec(id.slice(epoch.length + 1))?.[1]
  return number === undefined ? undefined : Number(number)
}

/** The number in the id of a frame of the log. Undefined if the id comes from a different run of the daemon. */
export function numberIn(id: string | undefined, epoch: string): number | undefined {
  if (id?.startsWith(`${epoch}-`) !== true) return undefined
  const sequence = Number(id.slice(epoch.length + 1))
  return Number.isSafeInteger(sequence) ? sequence : undefined
}
