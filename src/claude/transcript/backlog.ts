import type { Clock } from '../../base/lib/clock.ts'
import type { Budget, Entry } from './budget.ts'

export interface BacklogParts {
  readonly clock: Clock
  readonly budget: Budget
  /** Writes all texts or rejects. `at`: the time of the last one, milliseconds since the epoch. */
  readonly write: (texts: readonly string[], at: number) => Promise<void>
  /** The text that replaces entries that were left out. */
  readonly lostText: (count: number, at: number) => string
  /** Called when a write has failed: for the first failure only, until a write has succeeded again. */
  readonly onFailed: (error: unknown) => void
  /** Called when an entry is left out: for the first one only, until the backlog has been empty again. */
  readonly onBehind: () => void
  /** Called when all entries are written. */
  readonly onIdle: () => void
}

/** How long entries are collected for one write: each write costs a dozen system calls, whatever its size. */
const gatherMs = 500
const retryMs = 5000
/** The most bytes of one write, unless a single entry has more. */
const batchBytes = 256 * 1024

/** Takes the place of entries that were left out. */
class Gap implements Entry {
  readonly bytes = 64
  readonly isExpendable = false
  readonly at: number
  readonly #text: BacklogParts['lostText']
  lost = 0

  constructor(at: number, text: BacklogParts['lostText']) {
    this.at = at
    this.#text = text
  }

  render(): string {
    return this.#text(this.lost, this.at)
  }
}

/** The entries that wait to be written to one file: in order, in batches, one write at a time, within a budget. */
export class Backlog {
  readonly #parts: BacklogParts
  #queue: Entry[] = []
  #queuedBytes = 0
  #cancelTimer: (() => void) | undefined
  #writing: Promise<void> | undefined
  #isBehind = false
  #isFailing = false
  #isClosed = false

  constructor(parts: BacklogParts) {
    this.#parts = parts
  }

  get isIdle(): boolean {
    return this.#queue.length === 0 && this.#writing === undefined
  }

  add(entry: Entry): void {
    if (this.#isClosed) return
    if (this.#parts.budget.hasRoomFor(entry)) this.#push(entry)
    else this.#leaveOut(1, entry.at)
    this.#schedule()
  }

  /** Drops all waiting entries and puts a gap in their place. */
  giveUp(): void {
    const [first] = this.#queue
    if (first === undefined) return
    const lost = this.#queue.reduce((sum, entry) => sum + (entry instanceof Gap ? entry.lost : 1), 0)
    this.#count(-this.#queuedBytes)
    this.#queue = []
    this.#leaveOut(lost, first.at)
  }

  /** Writes the waiting entries until the first failure. Entries that are added after that are ignored. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelTimer?.()
    await this.#writing
    while (this.#queue.length > 0) {
      if (!(await this.#write())) return
    }
  }

  #push(entry: Entry): void {
    this.#queue.push(entry)
    this.#count(entry.bytes)
  }

  #count(bytes: number): void {
    this.#queuedBytes += bytes
    this.#parts.budget.waitingBytes += bytes
  }

  #leaveOut(count: number, at: number): void {
    const last = this.#queue.at(-1)
    const gap = last instanceof Gap ? last : new Gap(at, this.#parts.lostText)
    if (gap !== last) this.#push(gap)
    gap.lost += count
    if (!this.#isBehind) this.#parts.onBehind()
    this.#isBehind = true
  }

  #schedule(): void {
    if (this.#isClosed || this.#writing !== undefined || this.#cancelTimer !== undefined) return
    this.#cancelTimer = this.#parts.clock.machine.after(this.#isFailing ? retryMs : gatherMs, () => {
      this.#cancelTimer = undefined
      this.#writing = this.#writeOn()
    })
  }

  /** Writes without a pause while a full batch waits. */
  async #writeOn(): Promise<void> {
    let isWritten: boolean
    do isWritten = await this.#write()
    while (isWritten && !this.#isClosed && this.#queuedBytes >= batchBytes)
    this.#writing = undefined
    if (this.#queue.length > 0) this.#schedule()
    else this.#parts.onIdle()
  }

  /** Writes one batch. Resolves to true on success. */
  async #write(): Promise<boolean> {
    const batch = this.#takeBatch()
    const bytes = bytesOf(batch)
    try {
      const texts = batch.map((entry) => entry.render())
      await this.#parts.write(texts, batch.at(-1)!.at)
    } catch (error) {
      this.#queue = [...batch, ...this.#queue]
      this.#queuedBytes += bytes
      if (!this.#isFailing) this.#parts.onFailed(error)
      this.#isFailing = true
      this.#parts.budget.failing.add(this)
      return false
    }
    this.#parts.budget.waitingBytes -= bytes
    this.#parts.budget.failing.delete(this)
    this.#isFailing = false
    if (this.#queue.length === 0) this.#isBehind = false
    return true
  }

  /** The bytes of the batch stay counted in the budget until they are written. */
  #takeBatch(): Entry[] {
    let bytes = 0
    let count = 0
    for (const entry of this.#queue) {
      bytes += entry.bytes
      if (count > 0 && bytes > batchBytes) break
      count += 1
    }
    const batch = this.#queue.splice(0, count)
    this.#queuedBytes -= bytesOf(batch)
    return batch
  }
}

function bytesOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => sum + entry.bytes, 0)
}
