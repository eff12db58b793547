import type { DatabaseSync } from 'node:sqlite'
import { sha256 } from '../lib/sha256.ts'

export interface AuditEntry {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** `owner`, `program`, `agent:<team>` or `iris`. */
  readonly actor: string
  /** What was done, such as `permission.answered` or `from.mismatch`. */
  readonly action: string
  /** What it was done to. */
  readonly subject: string
  readonly decision?: string | undefined
  readonly inputHash?: string | undefined
  readonly detail?: Readonly<Record<string, unknown>>
}

/** Before the first entry. */
const beginning = '0'.repeat(64)

/** Who did what, appended and never changed; each entry's hash covers the one before it. */
export class Audit {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      last: database.prepare('SELECT hash FROM audit ORDER BY sequence DESC LIMIT 1'),
      add: database.prepare(
        `INSERT INTO audit (at, actor, action, subject, decision, input_hash, detail, previous_hash, hash)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ),
    }
  }

  record({ at, actor, action, subject, decision = null, inputHash = null, detail = {} }: Written): void {
    const values = [at, actor, action, subject, decision, inputHash, JSON.stringify(detail)] as const
    const previous = String(this.#statements.last.get()?.['hash'] ?? beginning)
    this.#statements.add.run(...values, previous, sha256(JSON.stringify([previous, ...values])))
  }
}

type Written = Omit<AuditEntry, 'decision' | 'inputHash'> & {
  readonly decision?: string | null | undefined
  readonly inputHash?: string | null | undefined
}
