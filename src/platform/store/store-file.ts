import { statSync } from 'node:fs'
import type { Clock } from '../../base/lib/clock.ts'
import type { Store } from './store.ts'

/** Callers without a credential can trigger this check, so it runs at most once in this time. */
const askedAgainAfterMs = 1000

/** The store as a file: its size, and whether it can be written. */
export class StoreFile {
  readonly #store: Store
  readonly #clock: Clock
  #asked: { readonly at: number; readonly trouble: Error | undefined } | undefined

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  get path(): string {
    return this.#store.path
  }

  /** Bytes of the file, and of the write-ahead log beside it. */
  get sizes(): { readonly file: number; readonly wal: number } {
    const size = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
    return { file: size(this.path), wal: size(`${this.path}-wal`) }
  }

  /** Why the store cannot be written at present; checked at most once a second. */
  get trouble(): Error | undefined {
    const now = this.#clock.elapsed()
    if (this.#asked === undefined || now - this.#asked.at >= askedAgainAfterMs) {
      this.#asked = { at: now, trouble: this.#look() }
    }
    return this.#asked.trouble
  }

  /** Takes the write lock and releases it. */
  #look(): Error | undefined {
    try {
      this.#store.exec('BEGIN IMMEDIATE')
      this.#store.exec('ROLLBACK')
      return undefined
    } catch (error) {
      return error as Error
    }
  }
}
