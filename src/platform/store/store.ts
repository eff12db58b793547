import { writeFileSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { IrisError } from '../../base/protocol/error.ts'
import type { StoreView } from '../../base/protocol/store.ts'
import { GroupSync, LogOnDisk, type Sync } from './group-sync.ts'
import { damagedError, isDamage, storeError } from './store-trouble.ts'

/**
 * How long a call waits for a lock, milliseconds. The wait blocks the whole daemon, and in WAL mode only another
 * program that writes can hold the lock. It is better to refuse one message than to block all others.
 */
const busyTimeoutMs = 250

/**
 * A write-ahead log that has become longer than this, because something was reading for a long time, is cut to this
 * length.
 */
export const maxLogBytes = 32 * 1024 * 1024

/** The file that marks a store as damaged: the next start rebuilds the store without a check. */
export function damageMarkOf(path: string): string {
  return `${path}.damaged`
}

/**
 * Recognizes statements that only read. A statement that writes commits in its last step, but SQLite's `get` executes
 * only one step and ignores errors in the others. With `RETURNING`, it returns the row even if the disk is full and
 * nothing was committed. So for a statement that may write, `get` executes all steps.
 */
const onlyReads = /^\s*(SELECT|PRAGMA)\b/i
/** A statement that returns rows and writes. */
const writes = /\bRETURNING\b/i

type Plain = (...values: unknown[]) => unknown
type Steps = Readonly<Record<'run' | 'get' | 'all', Plain>>

/**
 * `commit`: a commit that waits for the disk. `write`: a commit that does not. `sync`: brings all earlier writes to the
 * disk. `read`: a query.
 */
export type StoreOperation = 'commit' | 'write' | 'sync' | 'read'

/** Receives the duration of each operation of the store, milliseconds. */
export interface StoreMeter {
  now(): number
  took(operation: StoreOperation, ms: number, now: number): void
}

/** How a store was restored after its file was deleted or replaced while Iris ran. */
export type StoreRestored = NonNullable<StoreView['restored']>

/**
 * A connection to the store whose errors say what is wrong and what to do (`store_unavailable`). Once damage is found,
 * it refuses every statement, because a write could destroy rows that can still be salvaged. Its statements survive
 * `reopen`.
 */
export class Store extends DatabaseSync {
  readonly path: string
  /** The last restore since the daemon started. */
  restored: StoreRestored | undefined
  #damage: string | undefined
  #refusal: IrisError | undefined
  /** Incremented by `reopen`. A statement that is older is prepared again before it runs. */
  #generation = 0
  #meter: StoreMeter | undefined
  readonly #log: LogOnDisk
  #group: GroupSync
  /** The number of commits that did not wait for the disk, and how many of them have reached it. */
  #written = 0
  #synced = 0
  #waits = true

  constructor(path: string) {
    super(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true })
    this.path = path
    this.#log = new LogOnDisk(path)
    this.#group = new GroupSync(this.#log)
  }

  /** The damage that was found, if any. */
  get damage(): string | undefined {
    return this.#damage
  }

  /** Records damage: every statement is refused from now on, and the next start rebuilds the store. */
  meet(damage: string): void {
    this.#damage ??= damage
    markDamage(this.path, this.#damage)
  }

  /**
   * Refuses every statement with this error, because writes would be lost. `refuse(undefined)` or `reopen` ends the
   * refusal.
   */
  refuse(why: IrisError | undefined): void {
    this.#refusal = why
  }

  get isRefused(): boolean {
    return this.#refusal !== undefined
  }

  /** From now on, every commit survives a power cut, unless it is made in `withoutSync`. */
  makeDurable(): void {
    this.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;
      PRAGMA journal_size_limit = ${maxLogBytes}`)
    // The first read of the schema creates the log.
    this.prepare('PRAGMA user_version').get()
    this.#log.open()
  }

  /**
   * The commits of `work` do not wait for the disk. They immediately survive the end of this process, but survive a
   * power cut only once `durable` has settled or a later commit has waited for the disk. A power cut loses the last
   * commits first, so the rest is consistent.
   */
  withoutSync<T>(work: () => T): T {
    this.#waits = false
    super.exec('PRAGMA synchronous = NORMAL')
    try {
      return work()
    } finally {
      this.#written += 1
      super.exec('PRAGMA synchronous = FULL')
      this.#waits = true
    }
  }

  /**
   * Settles when every commit survives a power cut; undefined if every commit already does. Rejects if the disk failed.
   * That counts as damage, because it is unknown what is missing.
   */
  durable(): Promise<void> | undefined {
    if (this.#synced === this.#written && this.#damage === undefined) return undefined
    return this.#sync()
  }

  /** Like `durable`, but blocking. */
  syncNow(): void {
    if (this.#synced === this.#written) return
    this.#guard(() => this.#log.syncNow())
    this.#synced = this.#written
  }

  /** For tests: replaces the function that brings commits to the disk. */
  syncWith(sync: Sync): void {
    this.#group = new GroupSync({ sync })
  }

  /**
   * Writes a complete copy of what this connection sees, even if its file was deleted. Works while statements are
   * refused. Throws `store_unavailable`.
   */
  copyTo(path: string): void {
    try {
      super.exec(`VACUUM INTO '${path.replaceAll("'", "''")}'`)
    } catch (error) {
      throw storeError(this.path, error)
    }
  }

  /** Opens the file that is now at the store's path. Call this only between two transactions. */
  reopen(): void {
    const refusal = this.#refusal
    this.#refusal = undefined
    try {
      // After a failed `reopen`, the database is already closed.
      if (this.isOpen) this.close()
      this.open()
      this.makeDurable()
    } catch (error) {
      this.#refusal = refusal
      throw error
    }
    this.#generation += 1
  }

  override close(): void {
    try {
      this.#log.syncNow()
    } catch {
      // Closing may still manage to bring the log to the disk.
    }
    this.#synced = this.#written
    super.close()
    this.#log.close()
  }

  measureWith(meter: StoreMeter): void {
    this.#meter = meter
  }

  override exec(sql: string): void {
    const began = this.#meter?.now() ?? 0
    this.#guard(() => super.exec(sql))
    const now = this.#meter?.now() ?? 0
    if (sql === 'COMMIT') this.#meter?.took(this.#waits ? 'commit' : 'write', now - began, now)
  }

  override prepare(sql: string): StatementSync {
    const statement = this.#guard(() => super.prepare(sql))
    let steps = stepsOf(statement, sql)
    let generation = this.#generation
    const current = (): Steps => {
      if (generation !== this.#generation) {
        steps = stepsOf(super.prepare(sql), sql)
        generation = this.#generation
      }
      return steps
    }
    for (const name of ['run', 'get', 'all'] as const) {
      Object.defineProperty(statement, name, {
        value: (...values: unknown[]) =>
          this.#timed(name === 'run' || writes.test(sql), (...given) => current()[name](...given), values),
      })
    }
    return statement
  }

  /** Within a transaction, writes are not measured: only the COMMIT waits for the disk. */
  #timed(isWrite: boolean, plain: Plain, values: unknown[]): unknown {
    const meter = this.#meter
    if (meter === undefined || (isWrite && this.isTransaction)) return this.#guard(() => plain(...values))
    const began = meter.now()
    const result = this.#guard(() => plain(...values))
    const now = meter.now()
    const commit = this.#waits ? 'commit' : 'write'
    meter.took(isWrite ? commit : 'read', now - began, now)
    return result
  }

  async #sync(): Promise<void> {
    if (this.#damage !== undefined) throw damagedError(this.path, this.#damage)
    const [upTo, began] = [this.#written, this.#meter?.now() ?? 0]
    try {
      await this.#group.join(upTo)
    } catch (error) {
      // The store was closed in the meantime, which brought the log to the disk.
      if (this.#synced >= upTo) return
      this.meet(`the disk did not keep what was written: ${String(error)}`)
      throw damagedError(this.path, this.#damage ?? '')
    }
    this.#synced = Math.max(this.#synced, upTo)
    const now = this.#meter?.now() ?? 0
    this.#meter?.took('sync', now - began, now)
  }

  #guard<T>(work: () => T): T {
    if (this.#damage !== undefined) throw damagedError(this.path, this.#damage)
    if (this.#refusal !== undefined) throw this.#refusal
    try {
      return work()
    } catch (error) {
      if (!isDamage(error)) throw storeError(this.path, error)
      const met = (error as Error).message
      this.meet(met)
      throw damagedError(this.path, met)
    }
  }
}

/**
 * The statement's own methods, without the checks of `Store`; for a statement that may write, `get` executes all steps.
 */
function stepsOf(statement: StatementSync, sql: string): Steps {
  const run = statement.run.bind(statement) as Plain
  const get = statement.get.bind(statement) as Plain
  const all = statement.all.bind(statement) as (...values: unknown[]) => unknown[]
  return { run, get: onlyReads.test(sql) ? get : (...values: unknown[]) => all(...values)[0], all }
}

/** Makes the next start rebuild the store. */
export function markDamage(path: string, why: string): void {
  try {
    writeFileSync(damageMarkOf(path), `${why}\n`, { mode: 0o600 })
  } catch {
    // If the mark cannot be written, only the check at the next start can find the damage.
  }
}
