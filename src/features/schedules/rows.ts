import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../platform/store/database.ts'

/** A message that is sent at a time. `Sent` and `Plan` are kept as JSON. */
export interface ScheduleRow<Sent, Plan> {
  readonly id: string
  readonly ask: Sent
  readonly plan: Plan
  /** Milliseconds since the epoch; null if its only time has passed and the message was refused. */
  readonly nextAt: number | null
  readonly createdAt: number
  /** The turn of the message that was sent last. */
  readonly lastTurn: string | null
  /** Why the message was refused or left out the last time. */
  readonly problem: string | null
}

const columns = 'id, ask, plan, next_at AS nextAt, created_at AS createdAt, last_turn AS lastTurn, problem'

/** How long Iris remembers that a scheduled message was cancelled. */
const knownForMs = 90 * 86_400_000

/** The tables `schedules` and `cancelled_schedules`. */
export class ScheduleRows<Sent, Plan> {
  readonly #database: DatabaseSync
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#statements = {
      add: database.prepare(
        'INSERT OR IGNORE INTO schedules (id, ask, plan, next_at, created_at) VALUES (?, ?, ?, ?, ?)',
      ),
      all: database.prepare(`SELECT ${columns} FROM schedules ORDER BY next_at IS NULL, next_at, id`),
      byId: database.prepare(`SELECT ${columns} FROM schedules WHERE id = ?`),
      first: database.prepare(
        `SELECT ${columns} FROM schedules WHERE next_at IS NOT NULL ORDER BY next_at, id LIMIT 1`,
      ),
      move: database.prepare(
        'UPDATE schedules SET next_at = ?2, last_turn = COALESCE(?3, last_turn), problem = ?4 WHERE id = ?1',
      ),
      remove: database.prepare('DELETE FROM schedules WHERE id = ?'),
      cancel: database.prepare('INSERT OR IGNORE INTO cancelled_schedules (id, at) VALUES (?, ?)'),
      forget: database.prepare('DELETE FROM cancelled_schedules WHERE at < ?'),
      isCancelled: database.prepare('SELECT 1 FROM cancelled_schedules WHERE id = ?'),
    }
  }

  /** Does nothing if the id is known. */
  add({ id, ask, plan, nextAt, createdAt }: Omit<ScheduleRow<Sent, Plan>, 'lastTurn' | 'problem'>): void {
    this.#statements.add.run(id, JSON.stringify(ask), JSON.stringify(plan), nextAt, createdAt)
  }

  /** The next message first. */
  all(): ScheduleRow<Sent, Plan>[] {
    return this.#statements.all.all().map((raw) => toRow(raw))
  }

  byId(id: string): ScheduleRow<Sent, Plan> | undefined {
    const raw = this.#statements.byId.get(id)
    return raw && toRow(raw)
  }

  /** The message that is sent next. */
  first(): ScheduleRow<Sent, Plan> | undefined {
    const raw = this.#statements.first.get()
    return raw && toRow(raw)
  }

  /**
   * Records that a message's time has come: the message was sent as `turn`, or it was not sent, because of `problem`.
   */
  move(id: string, nextAt: number | null, turn: string | null, problem: string | null): void {
    this.#statements.move.run(id, nextAt, turn, problem)
  }

  /** Removes a message that was sent for the last time. */
  remove(id: string): boolean {
    return this.#statements.remove.run(id).changes > 0
  }

  /** Returns whether such a message was scheduled. Part of the caller's transaction, if one is open. */
  cancel(id: string, at: number): boolean {
    const cancel = (): boolean => {
      if (!this.remove(id)) return false
      this.#statements.forget.run(at - knownForMs)
      this.#statements.cancel.run(id, at)
      return true
    }
    return this.#database.isTransaction ? cancel() : transaction(this.#database, cancel)
  }

  isCancelled(id: string): boolean {
    return this.#statements.isCancelled.get(id) !== undefined
  }
}

function toRow<Sent, Plan>(raw: Record<string, unknown>): ScheduleRow<Sent, Plan> {
  const { ask, plan, ...rest } = raw as Omit<ScheduleRow<Sent, Plan>, 'ask' | 'plan'> & Record<'ask' | 'plan', string>
  return { ...rest, ask: JSON.parse(ask), plan: JSON.parse(plan) }
}
