import { writeFileSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
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
 * A connection whose errors say what is wrong with the store and what to do (`store_unavailable`). Once damage is met it
 * refuses everything: a write could destroy what can still be saved.
 */
export class Store extends DatabaseSync {
  readonly path: string
  #damage: string | undefined

  constructor(path: string) {
    super(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true })
    this.path = path
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

  override exec(sql: string): void {
    this.#guard(() => super.exec(sql))
  }

  override prepare(sql: string): StatementSync {
    const statement = this.#guard(() => super.prepare(sql))
    for (const name of ['run', 'get', 'all'] as const) {
      const plain = statement[name].bind(statement) as (...values: unknown[]) => unknown
      Object.defineProperty(statement, name, { value: (...values: unknown[]) => this.#guard(() => plain(...values)) })
    }
    return statement
  }

  #guard<T>(work: () => T): T {
    if (this.#damage !== undefined) throw damagedError(this.path, this.#damage)
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

/** Has the next start make the store anew. */
export function markDamage(path: string, why: string): void {
  try {
    writeFileSync(damageMarkOf(path), `${why}\n`, { mode: 0o600 })
  } catch {
    // The check at the start has to find it then.
  }
}
