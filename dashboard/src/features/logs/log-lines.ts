import type { Output } from '../../shared/api/operations.ts'

export type LogLine = Exclude<Output<'get_logs'>['logs'][number], string>

export interface LogState {
  /** The newest lines, as many as Iris itself keeps. */
  readonly lines: readonly LogLine[]
  readonly isPaused: boolean
  /** While the display is paused: how many lines have arrived that are not shown yet. */
  readonly fresh: number
  /** How many lines came too fast for this page, and are no longer kept. */
  readonly missed: number
}

const mostLines = 10_000

/** The log lines of the daemon. A pause stops the display of new lines, not their collection. */
export class LogLines {
  #collected: readonly LogLine[] = []
  #state: LogState = { lines: [], isPaused: false, fresh: 0, missed: 0 }
  readonly #listeners = new Set<() => void>()

  get state(): LogState {
    return this.#state
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  add(lines: readonly LogLine[], missed: number): void {
    this.#collected = [...this.#collected, ...lines].slice(-mostLines)
    const { isPaused, fresh, missed: before } = this.#state
    const shown = isPaused ? { fresh: fresh + lines.length } : { lines: this.#collected }
    this.#become({ ...this.#state, ...shown, missed: before + missed })
  }

  pause(): void {
    this.#become({ ...this.#state, isPaused: true })
  }

  resume(): void {
    this.#become({ ...this.#state, isPaused: false, lines: this.#collected, fresh: 0 })
  }

  #become(state: LogState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}
