import type { PublishedEvent } from '../../../base/protocol/event.ts'
import type { LiveTurn } from '../../../base/protocol/live-turn.ts'
import type { KeptEvent } from '../../../features/events/contract.ts'
import type { EventLog } from './event-log.ts'
import { concerns, type Filter } from './filter.ts'
import type { Batch, Frame, Place } from './frame.ts'

/** The rights and the filter of a reader. Readers whose audiences have the same name see the same frames. */
export interface Audience {
  readonly name: string
  readonly maySee: (event: PublishedEvent | KeptEvent) => boolean
  /** Returns the part of an event that the reader gets. If absent, the reader gets the whole event. */
  readonly shown?: (event: PublishedEvent | KeptEvent) => object
  /** Whether the reader gets the text of this turn while it is being written. */
  readonly mayRead: (turn: LiveTurn) => boolean
  /** Whether the reader may see Claude Code's lines. */
  readonly hearsLines?: boolean
  readonly filter: Filter
}

interface CachedBatch {
  /** Empty if nothing new concerns the reader. */
  readonly batch: Batch
  readonly place: Place
  /** Whether more is ready than fits into one batch. */
  readonly isFull: boolean
}

/** A batch of this length, in characters, gets no further events. This bounds what a slow reader costs. */
const maxLength = 64 * 1024

/**
 * Makes each batch once for all readers that are at the same place and have the same audience. Most readers share both.
 */
export class BatchCache {
  readonly #log: EventLog
  readonly #epoch: string
  readonly #made = new Map<string, CachedBatch>()
  #madeOf = ''

  constructor(log: EventLog, epoch: string) {
    this.#log = log
    this.#epoch = epoch
  }

  /** The batch after that place. Undefined if the log no longer has all of it. */
  after(place: Place, audience: Audience): CachedBatch | undefined {
    const madeOf = `${this.#log.last} ${this.#log.texts.last}`
    if (madeOf !== this.#madeOf) this.#made.clear()
    this.#madeOf = madeOf
    const key = `${place.cursor} ${place.textFlush} ${audience.name}`
    const known = this.#made.get(key)
    if (known) return known
    const cached = this.#make(place, audience)
    if (cached) this.#made.set(key, cached)
    return cached
  }

  #make({ cursor, textFlush, rows }: Place, { maySee, shown, mayRead, filter }: Audience): CachedBatch | undefined {
    const events = this.#log.since(cursor)
    if (events === undefined) return undefined
    const batch: Frame[] = []
    let last = cursor
    let covered = rows
    let length = 0
    for (const logged of events) {
      if (length >= maxLength) return { batch, place: { cursor: last, textFlush, rows: covered }, isFull: true }
      const { event, row, upTo } = logged
      last = event.sequence
      covered = upTo
      if (!maySee(event) || !concerns(filter, event)) continue
      const json = shown === undefined ? logged.json : JSON.stringify(shown(event))
      batch.push({ id: `${this.#epoch}-${upTo}.${last}`, type: event.type, row, json })
      length += json.length
    }
    // Texts follow the events, since an event may be the start of a text's turn.
    for (const { turn, type, json } of this.#log.texts.since(textFlush)) {
      if (mayRead(turn) && concerns(filter, turn)) batch.push({ type, json })
    }
    return { batch, place: { cursor: last, textFlush: this.#log.texts.last, rows: covered }, isFull: false }
  }
}
