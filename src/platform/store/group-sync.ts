import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import { promisify } from 'node:util'

/** Brings what was written to a file to the disk, so that a power cut does not take it. Rejects with what the system says. */
export type Sync = () => Promise<void>

const dataToDisk = promisify(fdatasync)

/** The write-ahead log beside a database, for syncs that no statement waits for. */
export class LogOnDisk {
  readonly #path: string
  #file: number | undefined

  constructor(database: string) {
    this.#path = `${database}-wal`
  }

  readonly sync: Sync = async () => {
    if (this.#file !== undefined) await dataToDisk(this.#file)
  }

  /** Blocks. */
  syncNow(): void {
    if (this.#file !== undefined) fdatasyncSync(this.#file)
  }

  /** While it has its name. From now on it is the same file, whatever becomes of the name. */
  open(): void {
    this.#file ??= openSync(this.#path, 'r')
  }

  /** Before the database is closed, or opened anew: then the log is another file. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }
}

/** One sync for all who ask while the last one is under way; who asks alone waits for nobody. */
export class GroupSync {
  readonly #sync: Sync
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(sync: Sync) {
    this.#sync = sync
  }

  /** Settles when everything that was written before this call is on the disk. */
  join(): Promise<void> {
    if (this.#running === undefined && this.#next === undefined) return this.#begin()
    // The one under way may have begun before what the caller has written.
    this.#next ??= this.#running!.catch(() => {}).then(() => this.#begin())
    return this.#next
  }

  #begin(): Promise<void> {
    this.#next = undefined
    const running = this.#sync().finally(() => {
      this.#running = undefined
    })
    this.#running = running
    return running
  }
}
