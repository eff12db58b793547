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

/** If no later commit has synced an end to disk within this time, Iris syncs it. */
const syncAfterMs = 1000
const firstRetryMs = 250
const maxRetryMs = 30_000

/**
 * Commits the ends of turns. If the store fails, the ends wait in order and are retried. No new work is committed
 * before them.
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

  /** How many ends the store has not accepted yet. */
  get unrecorded(): number {
    return this.#unrecorded.length
  }

  /**
   * Returns undefined if the ledger has the end. Otherwise returns a promise that resolves once the ledger has it,
   * which may never happen.
   */
  record(turn: UnrecordedEnd['turn'], end: Settlement): Promise<void> | undefined {
    const { promise, resolve } = Promise.withResolvers<void>()
    const unrecorded: UnrecordedEnd = { turn, end, recorded: resolve }
    this.#unrecorded.push(unrecorded)
    if (this.#cancelRetry === undefined) this.#tryAgain()
    this.#cancelSync ??= this.#parts.clock.after(syncAfterMs, () => this.#sync())
    return this.#unrecorded.includes(unrecorded) ? promise : undefined
  }

  /** Called before new work begins. Throws `store_unavailable` while the store does not accept the waiting ends. */
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

  /** Tries one last time to commit the ends. The next start finds the remaining ends in the transcripts. */
  close(): void {
    this.#cancelRetry?.()
    this.#cancelSync?.()
    try {
      this.catchUp()
    } catch (error) {
      this.#parts.log.warn(`the store did not accept the ends of ${this.#unrecorded.length} turns: ${String(error)}`)
    }
  }

  /**
   * Commits one end. A power cut loses an end that was not synced. The next start then classifies the turn by its
   * transcript, and runs the turn again if the transcript is lost too. Therefore only an answer may skip the sync, and
   * only if the turn started no tool.
   */
  #commit({ turn, end }: UnrecordedEnd): void {
    const { ledger } = this.#parts
    try {
      if (end.outcome === 'completed' && !ledger.toolStarts.hasAny(turn.id))
        ledger.written(() => ledger.settle(turn, end))
      else ledger.settle(turn, end)
    } catch (error) {
      if (isStoreTrouble(error)) throw error
      // Not a failure of the store, so a retry would not help.
      this.#parts.log.error(`the end of a turn cannot be recorded: ${String(error)}`, { turnId: turn.id })
    }
  }

  #sync(): void {
    const { ledger, log } = this.#parts
    this.#cancelSync = undefined
    ledger.durable()?.catch((error: unknown) => log.error(`the ends of turns are not synced to disk: ${String(error)}`))
  }

  #tryAgain(): void {
    const { clock, log } = this.#parts
    try {
      this.catchUp()
    } catch (error) {
      if (this.#cancelRetry === undefined) log.error(`the ends of turns wait for the store: ${String(error)}`)
      this.#cancelRetry = clock.after(this.#retryMs, () => this.#tryAgain())
      this.#retryMs = Math.min(this.#retryMs * 2, maxRetryMs)
    }
  }
}
