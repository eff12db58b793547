import { Worker } from 'node:worker_threads'
import { IrisError } from '../protocol/error.ts'
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

export interface SearchAnswer {
  readonly id: number
  readonly found: Found
}

const program = new URL(import.meta.url.endsWith('.ts') ? 'search-worker.ts' : 'search-worker.js', import.meta.url)

/** Search over what was asked and answered, in a thread of its own that is started when it is first needed. */
export class Search {
  readonly #files: SearchFiles
  readonly #waiting = new Map<number, PromiseWithResolvers<Found>>()
  #worker: Worker | undefined
  #last = 0

  constructor(files: SearchFiles) {
    this.#files = files
  }

  /** Texts of the store up to this moment. Rejects with `store_unavailable`. */
  find(query: SearchQuery): Promise<Found> {
    const asked = Promise.withResolvers<Found>()
    this.#last += 1
    this.#waiting.set(this.#last, asked)
    this.#thread().postMessage({ id: this.#last, query } satisfies SearchRequest)
    return asked.promise
  }

  /** Something was said: it is taken in, beside everything else. */
  takeIn(): void {
    this.#thread().postMessage({ id: 0 } satisfies SearchRequest)
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#gone('Iris is stopping')
    await worker?.terminate()
  }

  #thread(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const worker = new Worker(program, { workerData: this.#files })
    worker.unref()
    worker.on('message', ({ id, found }: SearchAnswer) => {
      this.#waiting.get(id)?.resolve(found)
      this.#waiting.delete(id)
    })
    worker.once('error', (error) => {
      if (this.#worker === worker) this.#gone(error instanceof Error ? error.message : String(error))
    })
    this.#worker = worker
    return worker
  }

  /** The next call starts another one. */
  #gone(why: string): void {
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
