import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { fewBefore, newestSequence } from './first-since.ts'
import type { SessionFilter } from './session-filter.ts'
import { Statistics } from './statistics.ts'
import { type Buckets, StatisticsOverTime } from './statistics-over-time.ts'
import type { Store } from './store.ts'
import { type PairUsage, UsageRows } from './usage-rows.ts'

/** The available sums. `since`: the earliest time that is counted, milliseconds since the epoch. */
export interface SumRequests {
  readonly sessions: { readonly since: number; readonly filter: SessionFilter }
  readonly overTime: { readonly since: number; readonly buckets: Buckets }
  readonly pairs: { readonly since: number }
}

interface SumResults {
  readonly sessions: ReturnType<Statistics['all']>
  readonly overTime: ReturnType<StatisticsOverTime['all']>
  readonly pairs: PairUsage[]
}

type SumName = keyof SumRequests

/** The input of the worker thread; `store` is the path of the store's file. */
export interface SumWork {
  readonly store: string
  readonly name: SumName
  readonly request: SumRequests[SumName]
}

const sums: { readonly [Name in SumName]: (database: DatabaseSync, request: SumRequests[Name]) => SumResults[Name] } = {
  sessions: (database, { filter }) => new Statistics(database).all(filter),
  overTime: (database, { buckets }) => new StatisticsOverTime(database).all(buckets),
  pairs: (database, { since }) => new UsageRows(database).pairs(since),
}

/** Computes a sum in the calling thread. */
export function sum<Name extends SumName>(
  database: DatabaseSync,
  name: Name,
  request: SumRequests[Name],
): SumResults[Name] {
  return sums[name](database, request)
}

/** A sum over this many turns takes about 20 ms, less than starting a thread. */
const maxTurnsHere = 5000
/** How long one sum may take. */
const patienceMs = 60_000

const program = new URL(import.meta.url.endsWith('.ts') ? 'sums-worker.ts' : 'sums-worker.js', import.meta.url)

/**
 * Sums over turns. A sum over many turns runs in a thread with its own connection, so that it delays no message. One
 * such sum runs at a time; the next one waits.
 */
export class Sums {
  readonly #store: Store
  readonly #clock: Pick<Clock, 'after'>
  #running: Promise<unknown> = Promise.resolve()
  #worker: Worker | undefined
  #isClosed = false

  constructor(store: Store, clock: Pick<Clock, 'after'>) {
    this.#store = store
    this.#clock = clock
  }

  /** Rejects with `store_unavailable`. */
  async of<Name extends SumName>(name: Name, request: SumRequests[Name]): Promise<SumResults[Name]> {
    const turns = newestSequence(this.#store) - fewBefore(this.#store, request.since)
    if (turns <= maxTurnsHere) return sum(this.#store, name, request)
    const work: SumWork = { store: this.#store.path, name, request }
    const result = this.#running.then(() => this.#inThread(work))
    this.#running = result.catch(() => {})
    return (await result) as SumResults[Name]
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#worker?.terminate()
  }

  async #inThread(workerData: SumWork): Promise<unknown> {
    if (this.#isClosed) throw unavailable('Iris is stopping')
    const worker = new Worker(program, { name: 'sums', workerData })
    worker.unref()
    this.#worker = worker
    const result = Promise.withResolvers<unknown>()
    worker.once('message', result.resolve)
    worker.once('error', (error) => result.reject(unavailable(error instanceof Error ? error.message : String(error))))
    worker.once('exit', () => result.reject(unavailable('its thread ended')))
    const stop = this.#clock.after(patienceMs, () => {
      result.reject(unavailable(`it took longer than ${patienceMs / 1000} s`))
    })
    try {
      return await result.promise
    } finally {
      stop()
      this.#worker = undefined
      void worker.terminate()
    }
  }
}

function unavailable(why: string): IrisError {
  return new IrisError(
    'store_unavailable',
    `Iris could not compute the figures: ${why}.`,
    'Try again, or ask for a shorter period. Messages are not affected; "iris doctor" checks the store.',
  )
}
