import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Ledger, Settlement, TurnRow } from '../../platform/store/ledger.ts'
import { isStoreTrouble } from '../../platform/store/store-trouble.ts'

export interface EndsParts {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly log: Log
}

interface UnrecordedEnd {
  readonly turn: Pick<TurnRow, 'id' | 'session'>
  readonly end: Settlement
  readonly recorded: () => void
}

/** An end that no later commit has brought to the disk is brought there after so long. */
const syncAfterMs = 1000
const firstRetryMs = 250
const longestRetryMs = 30_000

/**
 * Commits how turns ended. What the store does not take is kept, in its order, and tried again until it does; nothing new
 * is committed before it.
 */
export class Ends {
  readonly #parts: EndsParts
  readonly #unrecorded: UnrecordedEnd[] = []
  #retryMs = firstRetryMs
  #cancelRetry: (() => void) | undefined
  #cancelSync: (() => void) | undefined

  constructor(parts: EndsParts) {
    this.#parts = parts
  }

  /** How many the store has not taken yet. */
  get unrecorded(): number {
    return this.#unrecorded.length
  }

  /** Undefined when the ledger has it; else a promise for the moment when it does, which may never come. */
  record(turn: UnrecordedEnd['turn'], end: Settlement): Promise<void> | undefined {
    const { promise, resolve } = Promise.withResolvers<void>()
    const unrecorded: UnrecordedEnd = { turn, end, recorded: resolve }
    this.#unrecorded.push(unrecorded)
    if (this.#cancelRetry === undefined) this.#tryAgain()
    this.#cancelSync ??= this.#parts.clock.after(syncAfterMs, () => this.#sync())
    return this.#unrecorded.includes(unrecorded) ? promise : undefined
  }

  /** Before something new is begun. Throws `store_unavailable` while the store does not take what waits. */
  catchUp(): void {
    for (let first = this.#unrecorded[0]; first !== undefined; first = this.#unrecorded[0]) {
      this.#commit(first)
      this.#unrecorded.shift()
      first.recorded()
    }
    if (this.#cancelRetry === undefined) return
    this.#parts.log.info('the store works again')
    this.#cancelRetry()
    this.#cancelRetry = undefined
    this.#retryMs = firstRetryMs
  }

  /** Tries once more, and then no more. What is left is found in the transcripts by the next start. */
  close(): void {
    this.#cancelRetry?.()
    this.#cancelSync?.()
    try {
      this.catchUp()
    } catch (error) {
      this.#parts.log.warn(`the store does not take ${this.#unrecorded.length} ends: ${String(error)}`)
    }
  }

  /**
   * An end that waits for no disk is lost with the power: the next start judges that turn by its transcript, and runs it
   * again if even that is lost. So only an answer may, and only one of a turn without effects.
   */
  #commit({ turn, end }: UnrecordedEnd): void {
    const { ledger } = this.#parts
    try {
      if (end.outcome === 'completed' && !ledger.toolStarts.hasAny(turn.id))
        ledger.written(() => ledger.settle(turn, end))
      else ledger.settle(turn, end)
    } catch (error) {
      if (isStoreTrouble(error)) throw error
      // No repetition would help it.
      this.#parts.log.error(`the end of a turn cannot be recorded: ${String(error)}`, { turnId: turn.id })
    }
  }

  #sync(): void {
    const { ledger, log } = this.#parts
    this.#cancelSync = undefined
    ledger.durable()?.catch((error: unknown) => log.error(`the disk does not keep the ends of turns: ${String(error)}`))
  }

  #tryAgain(): void {
    const { clock, log } = this.#parts
    try {
      this.catchUp()
    } catch (error) {
      if (this.#cancelRetry === undefined) log.error(`the ends of turns wait for the store: ${String(error)}`)
      this.#cancelRetry = clock.after(this.#retryMs, () => this.#tryAgain())
      this.#retryMs = Math.min(this.#retryMs * 2, longestRetryMs)
    }
  }
}
