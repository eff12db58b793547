import { Worker } from 'node:worker_threads'
import type { Clock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Period } from '../../platform/store/recording.ts'
import type { Patterns } from './patterns.ts'
import type { Reflection } from './reflection.ts'
import type { DecidedSuggestion } from './rows/suggestions.ts'
import type { Use } from './usual-use.ts'

export type InsightRequest =
  | {
      readonly find: 'patterns'
      readonly period: Period
      /** Minutes east of UTC. They decide when a day begins. */
      readonly offsetMinutes: number
    }
  | { readonly find: 'use'; readonly period: Period }
  | { readonly find: 'reflection'; readonly period: Period; readonly decided: readonly DecidedSuggestion[] }

/** The input of the thread. `store` is the path of the store's file. */
export type InsightWork = InsightRequest & { readonly store: string }

/** How long one analysis may take. */
const patienceMs = 60_000
const maxMegabytes = 256

const program = new URL(import.meta.url.endsWith('.ts') ? 'insight-worker.ts' : 'insight-worker.js', import.meta.url)

/**
 * Analyses recorded messages, in a thread that ends with its result. The thread has its own connection to the store, so
 * that it never delays a message. One analysis runs at a time; others wait.
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
    return this.#next<Patterns>({ find: 'patterns', period, offsetMinutes })
  }

  /** Rejects with `insight_failed`. */
  reflect(period: Period, decided: readonly DecidedSuggestion[]): Promise<Reflection> {
    return this.#next<Reflection>({ find: 'reflection', period, decided })
  }

  /** How each conversation is used, by the conversation's key. Rejects with `insight_failed`. */
  use(period: Period): Promise<[string, Use][]> {
    return this.#next<[string, Use][]>({ find: 'use', period })
  }

  #next<Found>(request: InsightRequest): Promise<Found> {
    const found = this.#running.then(() => this.#analyse<Found>({ ...request, store: this.#store }))
    this.#running = found.catch(() => {})
    return found
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#worker?.terminate()
  }

  async #analyse<Found>(request: InsightWork): Promise<Found> {
    if (this.#isClosed) throw failed('Iris is stopping')
    const resourceLimits = { maxOldGenerationSizeMb: maxMegabytes }
    const worker = new Worker(program, { name: 'insight', workerData: request, resourceLimits })
    worker.unref()
    this.#worker = worker
    const found = Promise.withResolvers<Found>()
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
    'Messages are not affected. Try a shorter period or one team; iris doctor checks the store.',
  )
}
