import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { isUpToDate, removeIndex } from './index-file.ts'
import type { Found, SearchQuery } from './search-result.ts'

export interface SearchFiles {
  readonly store: string
  /** Built from the store; rebuilt if missing or damaged. */
  readonly index: string
}

/** A request without a query only indexes new texts. */
export interface SearchRequest {
  readonly id: number
  readonly query?: SearchQuery | undefined
}

/** An answer without `found` says that all work is done up to this request. */
export interface SearchAnswer {
  readonly id: number
  readonly found?: Found | undefined
}

/** How long to keep the thread for the next search: it takes a quarter of the memory of an idle daemon. */
const restMs = 60_000
/** How long one search may take while others wait, milliseconds. */
const longestMs = 15_000

interface Asked extends PromiseWithResolvers<Found> {
  readonly query: SearchQuery
  /** Call this once the search is over. */
  readonly cancelDeadline: () => void
}

const program = new URL(import.meta.url.endsWith('.ts') ? 'search-worker.ts' : 'search-worker.js', import.meta.url)

/** Searches messages and answers in a thread that exists only while it is needed. */
export class Search {
  readonly #files: SearchFiles
  readonly #clock: Pick<Clock, 'after'>
  readonly #waiting = new Map<number, Asked>()
  #worker: Worker | undefined
  /** Whether this thread was used for a search. */
  #isSearched = false
  #last = 0
  #stayAwake: (() => void) | undefined

  constructor(files: SearchFiles, clock: Pick<Clock, 'after'>) {
    this.#files = files
    this.#clock = clock
  }

  /** Bytes of the index, with its write-ahead log. */
  get indexBytes(): number {
    const { index } = this.#files
    return [index, `${index}-wal`].reduce(
      (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
      0,
    )
  }

  /**
   * Searches all indexed texts, after indexing a batch of new ones. Rejects with `store_unavailable`, and with
   * `invalid_input` if the search takes too long.
   */
  find(query: SearchQuery): Promise<Found> {
    const asked = Promise.withResolvers<Found>()
    this.#ask(query, asked)
    return asked.promise
  }

  #ask(query: SearchQuery, asked: PromiseWithResolvers<Found>): void {
    this.#isSearched = true
    const id = this.#request(query)
    const cancelDeadline = this.#clock.after(longestMs, () => this.#giveUp(id))
    this.#waiting.set(id, { ...asked, query, cancelDeadline })
  }

  /** Only the end of the thread ends a statement of SQLite. The searches that waited behind it begin again. */
  #giveUp(id: number): void {
    const late = this.#waiting.get(id)
    if (late === undefined) return
    this.#waiting.delete(id)
    const others = [...this.#waiting.values()]
    this.#waiting.clear()
    void this.close()
    late.reject(tooLong())
    for (const other of others) {
      other.cancelDeadline()
      this.#ask(other.query, other)
    }
  }

  /** Indexes new texts in the thread, which is started only if there are any. */
  takeIn(): void {
    if (this.#worker === undefined && isUpToDate(this.#files.store, this.#files.index)) return
    this.#request(undefined)
  }

  /** Deletes the index and builds it again, so that it contains nothing of texts that the store no longer has. */
  async startOver(): Promise<void> {
    await this.close('the index is being built again')
    removeIndex(this.#files.index)
    this.takeIn()
  }

  /** Ends the thread and rejects open queries. The next call starts another thread, which opens the files again. */
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
    const worker = new Worker(program, { name: 'search', workerData: this.#files })
    worker.unref()
    worker.on('message', ({ id, found }: SearchAnswer) => {
      // Ignore messages of a thread that is terminating.
      if (this.#worker !== worker) return
      if (found === undefined) return this.#rest(id)
      const asked = this.#waiting.get(id)
      asked?.cancelDeadline()
      asked?.resolve(found)
      this.#waiting.delete(id)
    })
    worker.once('error', (error) => {
      if (this.#worker === worker) this.#gone(error instanceof Error ? error.message : String(error))
    })
    this.#worker = worker
    return worker
  }

  /** Ends the thread after a rest, or at once if it only indexed. Nothing is lost: what it indexed is in its file. */
  #rest(id: number): void {
    if (id !== this.#last) return
    if (!this.#isSearched) return void this.close()
    this.#stayAwake?.()
    this.#stayAwake = this.#clock.after(restMs, () => void this.close())
  }

  /** Forgets the thread and rejects open queries. The next call starts another thread. */
  #gone(why: string): void {
    this.#stayAwake?.()
    this.#worker = undefined
    this.#isSearched = false
    for (const asked of this.#waiting.values()) {
      asked.cancelDeadline()
      asked.reject(unsearchable(why))
    }
    this.#waiting.clear()
  }
}

function tooLong(): IrisError {
  return new IrisError(
    'invalid_input',
    `The search took longer than ${longestMs / 1000} s, so Iris ended it.`,
    'Search for fewer or less common words.',
  )
}

function unsearchable(why: string): IrisError {
  return new IrisError(
    'store_unavailable',
    `Messages cannot be searched: ${why.replace(/\.$/, '')}.`,
    'Try again. If the problem persists, stop Iris, delete data/search.db in its home, and start Iris again: it rebuilds the file.',
  )
}
