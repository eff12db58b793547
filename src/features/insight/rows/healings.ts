import type { Store } from '../../../platform/store/store.ts'

/** A fault and what became of it. Times are milliseconds since the epoch. */
export interface HealingRow {
  readonly id: number
  readonly fault: string
  /** What was broken: a conversation, a team, a file. */
  readonly subject: string
  readonly found: string
  readonly action: string
  /** What Iris undoes when it is healed; null: nothing is left behind. */
  readonly undo: string | null
  readonly foundAt: number
  /** When it was proved to be healed; null: not yet. */
  readonly healedAt: number | null
}

const mostRows = 5000
const columns = `id, fault, subject, found, action, undo, found_at AS foundAt, healed_at AS healedAt`

/** The table `healings`. */
export class HealingRows {
  readonly #store: Store
  readonly #statements

  constructor(store: Store) {
    this.#store = store
    this.#statements = {
      add: store.prepare(
        `INSERT INTO healings (fault, subject, found, action, undo, found_at) VALUES (?, ?, ?, ?, ?, ?) RETURNING ${columns}`,
      ),
      prune: store.prepare('DELETE FROM healings WHERE id <= ? AND healed_at IS NOT NULL'),
      heal: store.prepare('UPDATE healings SET healed_at = ? WHERE id = ?'),
      open: store.prepare(`SELECT ${columns} FROM healings WHERE healed_at IS NULL ORDER BY id DESC LIMIT 1000`),
      list: store.prepare(
        `SELECT ${columns} FROM healings
         WHERE found_at >= ?1 AND (?2 IS NULL OR subject = ?2) AND found_at <= ?3 ORDER BY id DESC LIMIT ?4`,
      ),
    }
  }

  /** Nothing here must survive a power cut at once. */
  add({ fault, subject, found, action, undo, foundAt }: Omit<HealingRow, 'id' | 'healedAt'>): HealingRow {
    return this.#store.withoutSync(() => {
      const row = this.#statements.add.get(fault, subject, found.slice(0, 500), action, undo, foundAt)
      this.#statements.prune.run(Number(row!['id']) - mostRows)
      return row as unknown as HealingRow
    })
  }

  heal(id: number, at: number): void {
    this.#store.withoutSync(() => this.#statements.heal.run(at, id))
  }

  open(): HealingRow[] {
    return this.#statements.open.all() as unknown as HealingRow[]
  }

  /** The latest first. Without a subject: all. */
  list({ since, until, subject, limit }: HealingFilter): HealingRow[] {
    return this.#statements.list.all(since, subject ?? null, until, limit) as unknown as HealingRow[]
  }
}

export interface HealingFilter {
  readonly since: number
  readonly until: number
  readonly subject?: string
  readonly limit: number
}
