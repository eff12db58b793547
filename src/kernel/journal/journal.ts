import { setImmediate as pause } from 'node:timers/promises'
import { type Clock, every } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { JournalType } from '../../base/protocol/journal.ts'
import { type JournalEpoch, type JournalRows, keptMs, type StoredJournalRow } from '../../platform/store/journal.ts'
import type { Ledger } from '../../platform/store/ledger.ts'

export interface JournalRow {
  /** Increases with each row, but numbers may be skipped. */
  readonly sequence: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly type: JournalType
  readonly turnId: string
  /** Set only for a question to a person. */
  readonly questionId?: string
}

/**
 * A journal of accepted and ended turns and of questions asked and decided, for features that must not miss any. Each
 * row is committed together with the change it records. It covers only turns asked on this host. A row is kept for 30
 * days. A **cursor** is `<epoch>-<sequence>` and names the place after a row of this store.
 */
export interface Journal {
  /** The number of the last row that would survive a power cut, or 0 if there is none. Rejects if the disk failed. */
  confirmed(): Promise<number>
  /** Rows after `after` up to and including `upTo`, oldest first. */
  read(after: number, upTo: number, limit: number): readonly JournalRow[]
  cursorOf(sequence: number): string
  /** The number in a cursor. Undefined if this store doesn't know the cursor, or no longer has all rows after it. */
  sequenceOf(cursor: string): number | undefined
  /** The first cursor to read from. */
  first(): string
  /** Calls the listener after each commit that added rows. Returns a function that removes the listener. */
  onRows(listener: () => void): () => void
}

interface JournalParts {
  readonly ledger: Pick<Ledger, 'durable' | 'written'> & { readonly journal: JournalRows }
  readonly newId: () => string
  readonly clock: Clock
  readonly log: Log
}

const dayMs = 86_400_000

/**
 * Begins a new epoch. A restored backup or a rebuilt store may assign the same numbers again; the new epoch keeps old
 * and new cursors apart.
 */
export function openJournal(parts: JournalParts): KeptJournal {
  const { ledger, newId, log } = parts
  const epoch = newId().slice(-12)
  try {
    ledger.written(() => ledger.journal.begin(epoch))
  } catch (error) {
    // The epoch is written with the first row instead.
    log.warn(`the journal could not be begun yet: ${String(error)}`)
  }
  return new KeptJournal(epoch, parts)
}

/** The kernel's journal, which also deletes its old rows. */
export class KeptJournal implements Journal {
  /** Identifies this start of the daemon. */
  readonly epoch: string
  readonly #parts: JournalParts
  readonly #rows: JournalRows
  #isEnding = false
  #running = Promise.resolve()
  #endDays = (): void => {}

  constructor(epoch: string, parts: JournalParts) {
    this.epoch = epoch
    this.#parts = parts
    this.#rows = parts.ledger.journal
  }

  async confirmed(): Promise<number> {
    const { newest } = this.#rows.range
    await this.#parts.ledger.durable()
    return newest ?? 0
  }

  read(after: number, upTo: number, limit: number): readonly JournalRow[] {
    return this.#rows.read(after, upTo, limit).map(shown)
  }

  cursorOf(sequence: number): string {
    const epochs = this.#epochs
    const { id } = epochs.findLast(({ first }) => first <= sequence) ?? epochs[0]!
    return `${id}-${sequence}`
  }

  sequenceOf(cursor: string): number | undefined {
    const [, id, digits] = /^(.+)-(\d{1,15})$/.exec(cursor) ?? []
    const sequence = Number(digits)
    const [epochs, { range }] = [this.#epochs, this.#rows]
    const place = epochs.findIndex((epoch) => epoch.id === id)
    if (place < 0) return undefined
    // The oldest remaining epoch covers all rows before the next epoch.
    const first = place === 0 ? 1 : epochs[place]!.first
    const last = Math.min((epochs[place + 1]?.first ?? Number.POSITIVE_INFINITY) - 1, range.newest ?? 0)
    const isHere = sequence >= Math.max(first, range.oldest ?? 1) - 1 && sequence <= last
    return isHere ? sequence : undefined
  }

  first(): string {
    return this.cursorOf((this.#rows.range.oldest ?? 1) - 1)
  }

  onRows(listener: () => void): () => void {
    return this.#rows.onRows(listener)
  }

  /**
   * Deletes rows older than 30 days once `ready` resolves, and then every day. Settles when the first deletion is done.
   */
  pruneDaily(ready: Promise<void>): Promise<void> {
    this.#running = ready.then(() => this.#prune())
    const first = this.#running
    this.#endDays = every(this.#parts.clock, dayMs, () => {
      this.#running = this.#running.then(() => this.#prune())
    })
    return first
  }

  /** Ends the deletion of old rows. Resolves when a deletion in progress has ended. */
  end(): Promise<void> {
    this.#isEnding = true
    this.#endDays()
    return this.#running
  }

  /** The stored epochs and the epoch of this start. While the store accepts no writes, it lacks the new epoch. */
  get #epochs(): readonly JournalEpoch[] {
    const { epochs, range } = this.#rows
    if (epochs.some(({ id }) => id === this.epoch)) return epochs
    return [...epochs, { id: this.epoch, first: (range.newest ?? 0) + 1 }]
  }

  async #prune(): Promise<void> {
    const { clock, ledger, log } = this.#parts
    const before = clock.now() - keptMs
    try {
      for (let place: number | undefined = 0; place !== undefined && !this.#isEnding; await pause()) {
        const after: number = place
        place = ledger.written(() => this.#rows.prune(after, before))
      }
    } catch (error) {
      log.error(`old events were not deleted: ${String(error)}`)
    }
  }
}

function shown({ sequence, at, type, turn: turnId, question }: StoredJournalRow): JournalRow {
  return { sequence, at, type, turnId, ...(question !== null && { questionId: question }) }
}
