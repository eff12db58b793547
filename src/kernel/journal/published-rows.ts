import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { JournalEntry, JournalRows } from '../../platform/store/journal.ts'

/** How much of the journal the published events cover. */
interface Covered {
  /** The row of this very event, if it has one. */
  readonly row: number | undefined
  /** The events so far cover every row up to this one. */
  readonly upTo: number
}

/** A row whose event has not been published when so many rows have followed is passed over: no event will come. */
const maxBehind = 100
/** Readers get the answer to a message even while the store takes nothing: its row comes later. */
const maxEarly = 1000

/** Connects the events of this start of the daemon with the rows of the journal that are committed before them. */
export class PublishedRows {
  readonly #waiting = new Map<string, number>()
  readonly #early = new Set<string>()
  #newest: number

  constructor(rows: Pick<JournalRows, 'onAdd' | 'range'>) {
    this.#newest = rows.range.newest ?? 0
    rows.onAdd((row, sequence) => this.#added(row, sequence))
  }

  get upTo(): number {
    const [first] = this.#waiting.values()
    return first === undefined ? this.#newest : first - 1
  }

  /** An event was published: says which rows the events cover with it. */
  covers(event: PublishedEvent): Covered {
    const key = keyOf(event)
    const row = key === undefined ? undefined : this.#waiting.get(key)
    if (key !== undefined && !this.#waiting.delete(key)) this.#cameEarly(key)
    return { row, upTo: this.upTo }
  }

  #added({ type, turn, question }: JournalEntry, sequence: number): void {
    for (const [key, row] of this.#waiting) {
      // A transaction that was rolled back has left its number.
      if (row >= sequence || row < sequence - maxBehind) this.#waiting.delete(key)
    }
    this.#newest = sequence
    const key = `${type} ${question ?? turn}`
    if (this.#early.delete(key)) return
    this.#waiting.set(key, sequence)
  }

  #cameEarly(key: string): void {
    this.#early.add(key)
    const [first = key] = this.#early
    if (this.#early.size > maxEarly) this.#early.delete(first)
  }
}

function keyOf(event: PublishedEvent): string | undefined {
  switch (event.type) {
    case 'turn-accepted':
    case 'turn-settled':
      return `${event.type} ${event.turnId}`
    case 'permission:request':
    case 'permission:resolved':
    case 'permission:timeout':
      return event.permission.turnId === null ? undefined : `${event.type} ${event.permission.permissionId}`
    default:
      return undefined
  }
}
