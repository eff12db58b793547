import type { PublishedEvent } from '../../../base/protocol/event.ts'
import type { EventLog } from './event-log.ts'
import { concerns, type Filter } from './filter.ts'
import type { Batch, Frame } from './frame.ts'

/** Who reads: two of the same name see the same. */
export interface Audience {
  readonly name: string
  readonly maySee: (event: PublishedEvent) => boolean
  readonly filter: Filter
}

/** How far a reader has read: events, and what turns are saying; undefined where it has none of that yet. */
export interface Place {
  readonly cursor: number
  readonly textFlush: number | undefined
}

interface CachedBatch {
  /** May be empty: then nothing that came concerns the reader. */
  readonly batch: Batch
  readonly place: Place
  /** There is more than goes out in one batch. */
  readonly isFull: boolean
}

/** The length of a batch, in characters, above which nothing is added: a slow reader costs no more than that. */
const mostLength = 64 * 1024

/** The next batch, made once for all readers at the same position who may see the same; most readers are. */
export class BatchCache {
  readonly #log: EventLog
  readonly #epoch: string
  readonly #made = new Map<string, CachedBatch>()
  #madeOf = ''

  constructor(log: EventLog, epoch: string) {
    this.#log = log
    this.#epoch = epoch
  }

  /** What comes after that place; undefined when some of it is kept no more. */
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

  #make({ cursor, textFlush }: Place, { maySee, filter }: Audience): CachedBatch | undefined {
    const events = this.#log.since(cursor)
    if (events === undefined) return undefined
    const batch: Frame[] = []
    let last = cursor
    let length = 0
    for (const { event, json } of events) {
      if (length >= mostLength) return { batch, place: { cursor: last, textFlush }, isFull: true }
      last = event.sequence
      if (!maySee(event) || !concerns(filter, event)) continue
      batch.push({ id: `${this.#epoch}-${last}`, type: event.type, json })
      length += json.length
    }
    // After the events, of which one may be the beginning of its turn.
    for (const { turn, type, json } of this.#log.texts.since(textFlush)) {
      if (concerns(filter, turn)) batch.push({ type, json })
    }
    return { batch, place: { cursor: last, textFlush: this.#log.texts.last }, isFull: false }
  }
}
