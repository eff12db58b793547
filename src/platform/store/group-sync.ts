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

  readonly syncNow = (): void => {
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

export interface GroupSyncParts {
  readonly sync: Sync
  /** As `sync`, but blocks: quicker for one, because no other thread has to wake up. */
  readonly syncNow?: () => void
}

/** Those who asked in the same turn of the event loop, by what they had written. */
interface Group {
  readonly upTo: Set<number>
  readonly done: Promise<void>
}

/** One sync for all who ask in the same moment, or while the last one is under way; who asks alone waits for nobody. */
export class GroupSync {
  readonly #parts: GroupSyncParts
  #running: Promise<void> | undefined
  #next: Group | undefined

  constructor(parts: GroupSyncParts) {
    this.#parts = parts
  }

  /** Settles when everything that was written before this call is on the disk. `upTo`: how much that is. */
  join(upTo: number): Promise<void> {
    this.#next ??= this.#gather()
    this.#next.upTo.add(upTo)
    return this.#next.done
  }

  #gather(): Group {
    const upTo = new Set<number>()
    // The sync under way may have begun before what the caller has written.
    const before = this.#running?.catch(() => {}) ?? this.#moment()
    return { upTo, done: before.then(() => this.#begin(upTo.size)) }
  }

  /** Until all who write in this turn of the event loop have asked. */
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
