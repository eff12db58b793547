import { type ELDHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { type Clock, every } from '../../base/lib/clock.ts'
import type { TimesView } from './recent-times.ts'

/**
 * Node looks so often, and what it measures is the time between two looks. Each look wakes the daemon up, idle or not: at
 * 50 ms that was most of what an idle daemon did.
 */
const resolutionMs = 250
const spanMs = 60_000

/** How late the event loop is, over the last one to two minutes: two measurements, of which one begins anew each minute. */
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
