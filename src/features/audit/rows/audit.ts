import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../../base/lib/clock.ts'
import { sha256 } from '../../../base/lib/sha256.ts'
import type { AuditEntry } from '../../../kernel/session/audit-entry.ts'
import { isStoreTrouble } from '../../../platform/store/store-trouble.ts'

/** The previous hash of the first entry. */
export const chainBeginning = '0'.repeat(64)

/**
 * How many entries wait in memory while the store cannot be written. Beyond this number, the oldest entries are
 * dropped, and Iris counts them.
 */
const maxWait = 10_000
const tryAgainMs = 5000

type Values = readonly [number, string, string, string, string | null, string | null, string]

/** Covers the entry and, through the previous hash, all entries before it. */
export function entryHash(previous: string, values: Values): string {
  return sha256(JSON.stringify([previous, ...values]))
}

/**
 * The append-only audit; each entry's hash covers the entry before it. Inside a transaction, an entry commits with the
 * transaction. Outside a transaction, an entry that the store refuses waits in memory until it can be written, and the
 * caller does not fail.
 */
export class Audit {
  readonly #database: DatabaseSync
  #clock: Pick<Clock, 'after'> | undefined
  readonly #waiting: AuditEntry[] = []
  #lost = 0
  #cancelRetry: (() => void) | undefined
  readonly #statements

  /** Without a clock, only the next `record` tries waiting entries again. */
  constructor(database: DatabaseSync, clock?: Pick<Clock, 'after'>) {
    this.#database = database
    this.#clock = clock
    this.#statements = {
      last: database.prepare('SELECT hash FROM audit ORDER BY sequence DESC LIMIT 1'),
      add: database.prepare(
        `INSERT INTO audit (at, actor, action, subject, decision, input_hash, detail, previous_hash, hash)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ),
    }
  }

  /**
   * Inside a transaction, throws when the store refuses the entry, because the transaction must not commit without the
   * entry.
   */
  record(entry: AuditEntry): void {
    if (this.#database.isTransaction) return this.#append(entry)
    this.#waiting.push(entry)
    this.#lost += this.#waiting.splice(0, this.#waiting.length - maxWait).length
    this.#catchUp(entry.at)
  }

  /** Only the next `record` retries waiting entries. */
  close(): void {
    this.#clock = undefined
    this.#cancelRetry?.()
  }

  #catchUp(at: number): void {
    this.#cancelRetry?.()
    this.#cancelRetry = undefined
    try {
      for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
        this.#append(first)
        this.#waiting.shift()
      }
      if (this.#lost === 0) return
      this.#append({ at, actor: 'iris', action: 'audit.lost', subject: 'audit', detail: { entries: this.#lost } })
      this.#lost = 0
    } catch (error) {
      if (!isStoreTrouble(error)) throw error
      this.#cancelRetry = this.#clock?.after(tryAgainMs, () => this.#catchUp(at + tryAgainMs))
    }
  }

  #append({ at, actor, action, subject, decision = null, inputHash = null, detail = {} }: AuditEntry): void {
    const values: Values = [at, actor, action, subject, decision, inputHash, JSON.stringify(detail)]
    const previous = String(this.#statements.last.get()?.['hash'] ?? chainBeginning)
    this.#statements.add.run(...values, previous, entryHash(previous, values))
  }
}
