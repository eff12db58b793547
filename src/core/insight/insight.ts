import { Worker } from 'node:worker_threads'
import type { Clock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Period } from '../../platform/store/recording.ts'
import type { Patterns } from './patterns.ts'

export interface InsightRequest {
  /** The file of the store. */
  readonly store: string
  readonly period: Period
  /** East of UTC: when a day begins. */
  readonly offsetMinutes: number
}

/** So long one analysis may take. */
const patienceMs = 60_000
const mostMegabytes = 256

const program = new URL(import.meta.url.endsWith('.ts') ? 'insight-worker.ts' : 'insight-worker.js', import.meta.url)

/**
 * Analyses what happened, in a thread that ends with its result. It reads the store by a connection of its own, so that
 * nothing it does delays a message. One analysis runs at a time; the next one waits.
 */
export class Insight {
  readonly #store: string
  readonly #clock: Pick<Clock, 'after'>
  #running: Promise<unknown> = Promise.resolve()
  #worker: Worker | undefined
  #isClosed = false

  constructor(store: string, clock: Pick<Clock, 'after'>) {
    this.#store = store
    this.#clock = clock
  }

  /** Rejects with `insight_failed`. */
  patterns(period: Period, offsetMinutes: number): Promise<Patterns> {
    const found = this.#running.then(() => this.#analyse({ store: this.#store, period, offsetMinutes }))
    this.#running = found.catch(() => {})
    return found
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#worker?.terminate()
  }

  async #analyse(request: InsightRequest): Promise<Patterns> {
    if (this.#isClosed) throw failed('Iris is stopping')
    const resourceLimits = { maxOldGenerationSizeMb: mostMegabytes }
    const worker = new Worker(program, { workerData: request, resourceLimits })
    worker.unref()
    this.#worker = worker
    const found = Promise.withResolvers<Patterns>()
    worker.once('message', found.resolve)
    worker.once('error', (error) => found.reject(failed(error instanceof Error ? error.message : String(error))))
    worker.once('exit', () => found.reject(failed('its thread was ended')))
    const stop = this.#clock.after(patienceMs, () => {
      found.reject(failed(`it took longer than ${patienceMs / 1000} s`))
    })
    try {
      return await found.promise
    } finally {
      stop()
      this.#worker = undefined
      await worker.terminate()
    }
  }
}

function failed(why: string): IrisError {
  return new IrisError(
    'insight_failed',
    `The analysis failed: ${why}.`,
    'Messages are not affected. Try a shorter period or one team.',
  )
}
