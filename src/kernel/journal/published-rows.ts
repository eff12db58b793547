import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { JournalEntry, JournalRows } from '../../platform/store/journal.ts'

/** How much of the journal the published events cover. */
interface Covered {
  /** The row of the event just published, if it has one. */
  readonly row: number | undefined
  /** The last row up to which every row has had its event. */
  readonly upTo: number
}

/**
 * If a row's event has not been published when this many further rows have followed, it will not come, and Iris stops
 * waiting for it.
 */
const maxBehind = 100
/**
 * The most events to remember that were published before their rows. While the store accepts no writes, callers still
 * get answers, and the rows for these answers are added afterwards.
 */
const maxEarly = 1000

/**
 * Finds the journal row of each event that was published since the daemon started. Most rows are committed before their
 * events are published.
 */
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

  /**
   * Call this when an event has been published. Returns which rows are covered by the events so far, including this
   * event.
   */
  covers(event: PublishedEvent): Covered {
    const key = keyOf(event)
    const row = key === undefined ? undefined : this.#waiting.get(key)
    if (key !== undefined && !this.#waiting.delete(key)) this.#cameEarly(key)
    return { row, upTo: this.upTo }
  }

  #added({ type, turn, question }: JournalEntry, sequence: number): void {
    for (const [key, row] of this.#waiting) {
      // The row's transaction was rolled back, so its number is used again.
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
