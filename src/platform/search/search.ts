import { Worker } from 'node:worker_threads'
import type { Clock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Found, SearchQuery } from './found.ts'

export interface SearchFiles {
  readonly store: string
  /** Made of the store, and made anew when it is missing or damaged. */
  readonly index: string
}

/** Without a query: take in what is new. */
export interface SearchRequest {
  readonly id: number
  readonly query?: SearchQuery | undefined
}

/** Without what was found: up to this request there is nothing left to do. */
export interface SearchAnswer {
  readonly id: number
  readonly found?: Found | undefined
}

/** So long the thread is kept without work: it weighs as much as a quarter of an idle daemon. */
const restMs = 60_000

const program = new URL(import.meta.url.endsWith('.ts') ? 'search-worker.ts' : 'search-worker.js', import.meta.url)

/** Search over what was asked and answered, in a thread of its own that is there while it is needed. */
export class Search {
  readonly #files: SearchFiles
  readonly #clock: Pick<Clock, 'after'>
  readonly #waiting = new Map<number, PromiseWithResolvers<Found>>()
  #worker: Worker | undefined
  #last = 0
  #stayAwake: (() => void) | undefined

  constructor(files: SearchFiles, clock: Pick<Clock, 'after'>) {
    this.#files = files
    this.#clock = clock
  }

  /** Texts of the store up to this moment. Rejects with `store_unavailable`. */
  find(query: SearchQuery): Promise<Found> {
    const asked = Promise.withResolvers<Found>()
    this.#waiting.set(this.#request(query), asked)
    return asked.promise
  }

  /** Something was said: it is taken in, beside everything else. */
  takeIn(): void {
    this.#request(undefined)
  }

  /** The next call starts another thread, which opens the files anew. */
  async close(why = 'Iris is stopping'): Promise<void> {
    const worker = this.#worker
    this.#gone(why)
    await worker?.terminate()
  }

  #request(query: SearchQuery | undefined): number {
    this.#stayAwake?.()
    const id = ++this.#last
    this.#thread().postMessage({ id, query } satisfies SearchRequest)
    return id
  }

  #thread(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const worker = new Worker(program, { workerData: this.#files })
    worker.unref()
    worker.on('message', ({ id, found }: SearchAnswer) => {
      // What it says as it is being ended counts no more.
      if (this.#worker !== worker) return
      if (found === undefined) return this.#rest(id)
      this.#waiting.get(id)?.resolve(found)
      this.#waiting.delete(id)
    })
    worker.once('error', (error) => {
      if (this.#worker === worker) this.#gone(error instanceof Error ? error.message : String(error))
    })
    this.#worker = worker
    return worker
  }

  /** Nothing is lost with a thread that rests: what it has taken in stands in its file. */
  #rest(id: number): void {
    if (id !== this.#last) return
    this.#stayAwake?.()
    this.#stayAwake = this.#clock.after(restMs, () => void this.close())
  }

  /** The next call starts another one. */
  #gone(why: string): void {
    this.#stayAwake?.()
    this.#worker = undefined
    for (const asked of this.#waiting.values()) asked.reject(unsearchable(why))
    this.#waiting.clear()
  }
}

function unsearchable(why: string): IrisError {
  return new IrisError(
    'store_unavailable',
    `Messages cannot be searched: ${why}.`,
    'Try again; if it goes on, stop Iris, delete data/search.db in its home, which is made anew, and start it.',
  )
}
