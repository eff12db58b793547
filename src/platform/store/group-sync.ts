import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import { promisify } from 'node:util'

/** Flushes a file to the disk, so that it survives a power cut. Rejects with the system's error. */
export type Sync = () => Promise<void>

const dataToDisk = promisify(fdatasync)

/** The write-ahead log beside a database, for syncs outside of SQLite. */
export class LogOnDisk {
  readonly #path: string
  #file: number | undefined

  constructor(database: string) {
    this.#path = `${database}-wal`
  }

  readonly sync: Sync = async () => {
    if (this.#file !== undefined) await dataToDisk(this.#file)
  }

  readonly syncNow = (): void => {
    if (this.#file !== undefined) fdatasyncSync(this.#file)
  }

  /**
   * Call while the log still has its name. From then on, this object refers to that file, even if the file is renamed
   * or deleted.
   */
  open(): void {
    this.#file ??= openSync(this.#path, 'r')
  }

  /** Call when the database is closed, because the next database that is opened has another log file. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }
}

export interface GroupSyncParts {
  readonly sync: Sync
  /** Like `sync`, but blocking. Faster for a single caller, because no other thread has to wake up. */
  readonly syncNow?: () => void
}

/** Callers that share the next sync; `upTo` contains the distinct write counts that they wait for. */
interface Group {
  readonly upTo: Set<number>
  readonly done: Promise<void>
}

/**
 * All callers in the same turn of the event loop share one sync, and so do all that call while a sync is running. A
 * single caller's sync runs at once.
 */
export class GroupSync {
  readonly #parts: GroupSyncParts
  #running: Promise<void> | undefined
  #next: Group | undefined

  constructor(parts: GroupSyncParts) {
    this.#parts = parts
  }

  /** Settles when everything written before this call is on the disk. `upTo` is the number of writes so far. */
  join(upTo: number): Promise<void> {
    this.#next ??= this.#gather()
    this.#next.upTo.add(upTo)
    return this.#next.done
  }

  #gather(): Group {
    const upTo = new Set<number>()
    // A running sync does not count: it may have begun before the caller wrote.
    const before = this.#running?.catch(() => {}) ?? this.#moment()
    return { upTo, done: before.then(() => this.#begin(upTo.size)) }
  }

  /** Waits until all writers in this turn of the event loop have called `join`. */
  async #moment(): Promise<void> {
    if (this.#parts.syncNow) await new Promise((resolve) => setImmediate(resolve))
  }

  #begin(count: number): Promise<void> {
    const { sync, syncNow } = this.#parts
    this.#next = undefined
    if (count === 1 && syncNow && this.#running === undefined) return Promise.resolve(syncNow())
    const running = sync().finally(() => {
      this.#running = undefined
    })
    this.#running = running
    return running
  }
}
