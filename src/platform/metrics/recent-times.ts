import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'

/** Times in milliseconds; null if nothing was measured. */
export interface TimesView {
  readonly count: number
  readonly p50Ms: number | null
  readonly p99Ms: number | null
  readonly maxMs: number | null
}

const spanMs = 60_000

/** Durations recorded during the last one to two minutes. Recording one costs about 60 ns. */
export class RecentTimes {
  /** The span that is being recorded, and the one before it. */
  #current = createHistogram()
  #before = createHistogram()
  /** When the current span began, in monotonic milliseconds. */
  #began = Number.NEGATIVE_INFINITY

  /** `now`: monotonic milliseconds. */
  record(ms: number, now: number): void {
    this.#rotate(now)
    // The histogram counts nanoseconds, and refuses 0.
    this.#current.record(Math.max(1, Math.round(ms * 1e6)))
  }

  view(now: number): TimesView {
    this.#rotate(now)
    const both = createHistogram()
    both.add(this.#before)
    both.add(this.#current)
    return timesOf(both)
  }

  #rotate(now: number): void {
    const passed = now - this.#began
    if (passed < spanMs) return
    const spare = this.#before
    this.#before = this.#current
    this.#current = spare
    this.#current.reset()
    if (passed >= 2 * spanMs) this.#before.reset()
    this.#began = now
  }
}

function timesOf(nanoseconds: RecordableHistogram): TimesView {
  const { count, max } = nanoseconds
  if (count === 0) return { count, p50Ms: null, p99Ms: null, maxMs: null }
  const ms = (percentile: number): number => nanoseconds.percentile(percentile) / 1e6
  return { count, p50Ms: ms(50), p99Ms: ms(99), maxMs: max / 1e6 }
}
