import type { Store } from '../../../platform/store/store.ts'
import { number, type RowOf, Table, text } from '../../../platform/store/table.ts'

/** Faults and their outcomes. Times are milliseconds since the epoch. */
export const healings = new Table('healings', {
  id: number(),
  fault: text(),
  /** What is broken: a conversation, a team or a file. */
  subject: text(),
  found: text(),
  action: text(),
  /** What Iris undoes once the fault is healed; null if there is nothing to undo. */
  undo: text<string | null>(),
  foundAt: number(),
  /** When the fault was confirmed as healed; null if it is not healed yet. */
  healedAt: number<number | null>(),
})

export interface HealingRow extends RowOf<typeof healings> {}

const maxRows = 5000

/** The table `healings`. */
export class HealingRows {
  readonly #store: Store
  readonly #statements

  constructor(store: Store) {
    this.#store = store
    this.#statements = {
      add: healings.insertReturning(store, healings.omit('id', 'healedAt'), healings),
      prune: store.prepare('DELETE FROM healings WHERE id <= ? AND healed_at IS NOT NULL'),
      heal: store.prepare('UPDATE healings SET healed_at = ? WHERE id = ?'),
      open: healings.select(store, `FROM healings WHERE healed_at IS NULL ORDER BY id DESC LIMIT 1000`),
      list: healings.select(
        store,
        `FROM healings
         WHERE found_at >= ?1 AND (?2 IS NULL OR subject = ?2) AND found_at <= ?3 ORDER BY id DESC LIMIT ?4`,
      ),
    }
  }

  /** Written without a disk sync: a power cut may lose the last rows. */
  add(healing: Omit<HealingRow, 'id' | 'healedAt'>): HealingRow {
    return this.#store.withoutSync(() => {
      const row = this.#statements.add.get({ ...healing, found: healing.found.slice(0, 500) })
      this.#statements.prune.run(row.id - maxRows)
      return row
    })
  }

  heal(id: number, at: number): void {
    this.#store.withoutSync(() => this.#statements.heal.run(at, id))
  }

  open(): HealingRow[] {
    return this.#statements.open.all()
  }

  /** The latest fault first. Without a subject, the faults of all subjects. */
  list({ since, until, subject, limit }: HealingFilter): HealingRow[] {
    return this.#statements.list.all(since, subject ?? null, until, limit)
  }
}

export interface HealingFilter {
  readonly since: number
  readonly until: number
  readonly subject?: string
  readonly limit: number
}
