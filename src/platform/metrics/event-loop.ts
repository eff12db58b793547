import { type ELDHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { type Clock, every } from '../../base/lib/clock.ts'
import type { TimesView } from './recent-times.ts'

/**
 * The interval of Node's timer; Node measures the time between two ticks. Each tick wakes even an idle daemon: with an
 * interval of 50 ms, the ticks were most of an idle daemon's work.
 */
const resolutionMs = 250
const spanMs = 60_000

/**
 * The delay of the event loop over the last one to two minutes. Two measurements run at the same time, and each minute
 * the older one is reset.
 */
export class EventLoopDelay {
  #older: ELDHistogram | undefined
  #younger: ELDHistogram | undefined
  #end = (): void => {}

  begin(clock: Clock): void {
    this.#older = measuring()
    this.#younger = measuring()
    this.#end = every(clock, spanMs, () => {
      const spare = this.#older
      this.#older = this.#younger
      this.#younger = spare
      spare?.reset()
    })
  }

  end(): void {
    this.#end()
    this.#older?.disable()
    this.#younger?.disable()
  }

  get view(): TimesView {
    const { count = 0 } = this.#older ?? {}
    if (this.#older === undefined || count === 0) return { count: 0, p50Ms: null, p99Ms: null, maxMs: null }
    const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolutionMs)
    return {
      count,
      p50Ms: late(this.#older.percentile(50)),
      p99Ms: late(this.#older.percentile(99)),
      maxMs: late(this.#older.max),
    }
  }
}

function measuring(): ELDHistogram {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  return histogram
}
