import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { number, type RowOf, Table, text } from '../../../platform/store/table.ts'
import { chainBeginning, entryHash } from './audit.ts'

export const audit = new Table('audit', {
  sequence: number(),
  at: number(),
  actor: text(),
  action: text(),
  subject: text(),
  decision: text<string | null>(),
  inputHash: text<string | null>(),
  /** JSON. */
  detail: text(),
  previousHash: text(),
  hash: text(),
})

export interface AuditRow extends RowOf<typeof audit> {}

export interface AuditFilter {
  readonly since: number | undefined
  readonly team: string | undefined
  /** Only entries with a lower sequence number. */
  readonly before: number | undefined
}

export interface AuditBreak {
  /** The first entry that does not fit. */
  readonly sequence: number
  /** `changed`: its own content. `does_not_follow`: something before it was removed, inserted, moved or changed. */
  readonly problem: 'changed' | 'does_not_follow'
  /** The sequence number of the `store.rebuilt` entry that lists this gap; null when no entry does. */
  readonly explainedBy: number | null
}

export interface AuditVerdict {
  readonly entries: number
  /** The newest entry. Note it elsewhere: its hash shows later whether the end of the audit was cut off. */
  readonly head: Pick<AuditRow, 'sequence' | 'hash' | 'at'> | null
  /** At most `mostBreaks`, in the order of the entries. */
  readonly breaks: readonly AuditBreak[]
}

const maxBreaks = 100
const pageLength = 500

/** Reads the audit. */
export class AuditTrail {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      after: audit.select(database, `FROM audit WHERE sequence > ? ORDER BY sequence LIMIT ${pageLength}`),
      holds: database.prepare('SELECT 1 FROM audit WHERE hash = ?'),
      page: audit.select(
        database,
        `FROM audit
         WHERE sequence < coalesce(:before, sequence + 1) AND at >= coalesce(:since, at) AND (:team IS NULL
           OR actor = 'agent:' || :team OR json_extract(detail, '$.team') = :team
           OR instr(' ' || replace(subject, '→', ' ') || ' ', ' ' || :team || ' ') > 0)
         ORDER BY sequence DESC LIMIT :limit`,
      ),
    }
  }

  /** The newest first. */
  page({ since = null, team = null, before = null }: Nullable<AuditFilter>, limit: number): AuditRow[] {
    return this.#statements.page.all({ since, team, before, limit })
  }

  holds(hash: string): boolean {
    return this.#statements.holds.get(hash) !== undefined
  }

  /** Checks the chain from its beginning. Yields to the event loop after each page. */
  async verify(): Promise<AuditVerdict> {
    const breaks: AuditBreak[] = []
    let entries = 0
    let head: AuditRow | undefined
    // Not from 0, because a forged entry may precede the first.
    const before = Number.NEGATIVE_INFINITY
    for (let page = this.#pageAfter(before); page.length > 0; page = this.#pageAfter(head?.sequence ?? before)) {
      for (const row of page) {
        const problem = problemOf(row, head?.hash ?? chainBeginning)
        if (problem && breaks.length < maxBreaks) breaks.push({ sequence: row.sequence, problem, explainedBy: null })
        if (row.action === 'store.rebuilt' && problem !== 'changed') explain(breaks, row)
        entries += 1
        head = row
      }
      await setImmediate()
    }
    return { entries, head: head ? { sequence: head.sequence, hash: head.hash, at: head.at } : null, breaks }
  }

  #pageAfter(sequence: number): AuditRow[] {
    return this.#statements.after.all(sequence)
  }
}

type Nullable<T> = { readonly [Key in keyof T]?: T[Key] | null }

function problemOf(row: AuditRow, previous: string): AuditBreak['problem'] | undefined {
  const { at, actor, action, subject, decision, inputHash, detail } = row
  const own = entryHash(row.previousHash, [at, actor, action, subject, decision, inputHash, detail])
  if (own !== row.hash) return 'changed'
  return row.previousHash === previous ? undefined : 'does_not_follow'
}

/**
 * Marks the gaps that a rebuild recorded. Damage loses entries but does not rewrite them, so it never explains a
 * `changed` entry.
 */
function explain(breaks: AuditBreak[], { sequence, detail }: AuditRow): void {
  const { gaps } = JSON.parse(detail) as { gaps?: unknown }
  for (const [index, found] of breaks.entries()) {
    const isTold = found.problem === 'does_not_follow' && Array.isArray(gaps) && gaps.includes(found.sequence)
    if (isTold) breaks[index] = { ...found, explainedBy: found.explainedBy ?? sequence }
  }
}
