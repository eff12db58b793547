import { writeFileSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { IrisError } from '../../base/protocol/error.ts'
import type { StoreView } from '../../base/protocol/store.ts'
import { GroupSync, LogOnDisk, type Sync } from './group-sync.ts'
import { damagedError, isDamage, storeError } from './store-trouble.ts'

/**
 * How long a call waits for a lock, milliseconds. It blocks the whole daemon, and in WAL mode only a foreign writer can
 * hold one: better to refuse one message than to leave all others without a sign of life.
 */
const busyTimeoutMs = 250

/** Beside a store in which damage was met: the next start makes it anew, whatever a check says. */
export function damageMarkOf(path: string): string {
  return `${path}.damaged`
}

/**
 * A statement that writes commits with its last step. `get` takes one step and drops what the rest says: of `RETURNING` it
 * gives the row although the disk is full and nothing was committed. So it takes all steps of whatever does not only read.
 */
const onlyReads = /^\s*(SELECT|PRAGMA)\b/i
/** It returns rows and writes. */
const writes = /\bRETURNING\b/i

type Plain = (...values: unknown[]) => unknown
type Steps = Readonly<Record<'run' | 'get' | 'all', Plain>>

/**
 * What the store does: a commit, to the disk and back; one that does not wait for the disk; a sync, for all of those before
 * it; a question.
 */
export type StoreOperation = 'commit' | 'write' | 'sync' | 'read'

/** Told how long what the store does takes, milliseconds. */
export interface StoreMeter {
  now(): number
  took(operation: StoreOperation, ms: number, now: number): void
}

/** What was done about a store whose file was deleted or replaced while Iris ran. */
export type StoreRestored = NonNullable<StoreView['restored']>

/**
 * A connection whose errors say what is wrong with the store and what to do (`store_unavailable`). Once damage is met it
 * refuses everything: a write could destroy what can still be saved. Its statements outlive `reopen`.
 */
export class Store extends DatabaseSync {
  readonly path: string
  /** The last time that it was put back into its place in this life of the daemon. */
  restored: StoreRestored | undefined
  #damage: string | undefined
  #refusal: IrisError | undefined
  /** Counts the files that it was opened from. */
  #generation = 0
  #meter: StoreMeter | undefined
  readonly #log: LogOnDisk
  #group: GroupSync
  /** Commits that did not wait for the disk, and how many of them are on it. */
  #written = 0
  #synced = 0
  #waits = true

  constructor(path: string) {
    super(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true })
    this.path = path
    this.#log = new LogOnDisk(path)
    this.#group = new GroupSync(this.#log)
  }

  /** What damage was met, if any. */
  get damage(): string | undefined {
    return this.#damage
  }

  /** From now on everything is refused, and the next start makes the store anew. */
  meet(damage: string): void {
    this.#damage ??= damage
    markDamage(this.path, this.#damage)
  }

  /** Until it is called with nothing, or `reopen`, everything is refused with that error: what is written would be lost. */
  refuse(why: IrisError | undefined): void {
    this.#refusal = why
  }

  get isRefused(): boolean {
    return this.#refusal !== undefined
  }

  /** Every commit survives a power cut, unless it is made `withoutSync`. */
  makeDurable(): void {
    this.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    // The first look at the tables makes the log.
    this.prepare('PRAGMA user_version').get()
    this.#log.open()
  }

  /**
   * The commits of this work do not wait for the disk: they survive this process at once, and a power cut when `durable`
   * has settled or a later commit has waited. A power cut takes the last ones first, so what is left is whole.
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
   * Settles when everything that was committed survives a power cut; undefined: it does. Rejects when the disk did not keep
   * it: that is damage, because nobody knows what is missing.
   */
  durable(): Promise<void> | undefined {
    if (this.#synced === this.#written && this.#damage === undefined) return undefined
    return this.#sync()
  }

  /** As `durable`, but blocks. */
  syncNow(): void {
    if (this.#synced === this.#written) return
    this.#guard(() => this.#log.syncNow())
    this.#synced = this.#written
  }

  /** Something else brings commits to the disk. */
  syncWith(sync: Sync): void {
    this.#group = new GroupSync({ sync })
  }

  /** A whole copy of what this connection sees, also of a file that has no name any more. Throws as every statement. */
  copyTo(path: string): void {
    try {
      super.exec(`VACUUM INTO '${path.replaceAll("'", "''")}'`)
    } catch (error) {
      throw storeError(this.path, error)
    }
  }

  /** Goes on with the file that has its name now. Only between two transactions. */
  reopen(): void {
    this.#refusal = undefined
    this.close()
    this.open()
    this.makeDurable()
    this.#generation += 1
  }

  override close(): void {
    try {
      this.#log.syncNow()
    } catch {
      // Closing may still bring it to the disk.
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

  /** Within a transaction it is the COMMIT that waits for the disk. */
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
      // Closed meanwhile, which brought it to the disk.
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

/** What a statement does by itself, behind what it does for a `Store`. */
function stepsOf(statement: StatementSync, sql: string): Steps {
  const run = statement.run.bind(statement) as Plain
  const get = statement.get.bind(statement) as Plain
  const all = statement.all.bind(statement) as (...values: unknown[]) => unknown[]
  return { run, get: onlyReads.test(sql) ? get : (...values: unknown[]) => all(...values)[0], all }
}

/** Has the next start make the store anew. */
export function markDamage(path: string, why: string): void {
  try {
    writeFileSync(damageMarkOf(path), `${why}\n`, { mode: 0o600 })
  } catch {
    // The check at the start has to find it then.
  }
}
