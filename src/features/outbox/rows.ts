import type { JournalType } from '../../base/protocol/journal.ts'
import { transaction } from '../../platform/store/database.ts'
import { sessions } from '../../platform/store/sessions.ts'
import type { Store } from '../../platform/store/store.ts'
import { number, type RowOf, Selection, Table, text } from '../../platform/store/table.ts'
import { turns } from '../../platform/store/turns.ts'

/** How far each callback has come. */
export const callbackCursors = new Table('callback_cursors', {
  callback: text(),
  /** The last row of the journal that has been sent, is in `callback_deliveries`, or is not for this callback. */
  sequence: number(),
  /** When the endpoint switched the callback off, milliseconds since the epoch; null if it is on. */
  offAt: number<number | null>(),
})

/** Events that were posted and not taken. Times are milliseconds since the epoch. */
export const callbackDeliveries = new Table('callback_deliveries', {
  callback: text(),
  sequence: number(),
  at: number(),
  type: text<JournalType>(),
  turn: text(),
  question: text<string | null>(),
  tries: number(),
  /** When it failed for the first time. */
  failedAt: number(),
  /** When it is posted again; null if never. */
  nextAt: number<number | null>(),
  /** Why it was not taken the last time, in words. */
  problem: text(),
})

export interface DeliveryRow extends RowOf<typeof callbackDeliveries> {}
export interface CursorRow extends RowOf<typeof callbackCursors> {}

const named = new Selection({ id: text('turns.id'), ...turns.pick('session'), ...sessions.pick('to') })
/** A failed event with its conversation, for the inbox. */
const undelivered = new Selection({
  ...callbackDeliveries.pick('turn', 'problem', 'failedAt'),
  callback: text('callback_deliveries.callback'),
  message: text('substr(turns.message, 1, 300)'),
  sessionId: text('session_id'),
})
export interface UndeliveredRow extends RowOf<typeof undelivered> {}

const queued = new Selection({
  waiting: number('COUNT(next_at)'),
  failed: number('COUNT(*) - COUNT(next_at)'),
  oldest: number<number | null>('MIN(iif(next_at IS NULL, NULL, at))'),
  next: number<number | null>('MIN(next_at)'),
})

/** The most events that are kept for one callback. */
const mostKept = 10_000

/** The tables `callback_cursors` and `callback_deliveries`. */
export class OutboxRows {
  readonly #statements
  readonly #database: Store

  constructor(database: Store) {
    this.#database = database
    const of = 'FROM callback_deliveries WHERE callback = ?'
    this.#statements = {
      named: named.select(
        database,
        `FROM turns JOIN team_sessions ON team_sessions.id = session
         WHERE turns.id IN (SELECT value FROM json_each(?)) AND callback = ?`,
      ),
      cursor: callbackCursors.select(database, 'FROM callback_cursors WHERE callback = ?'),
      setCursor: callbackCursors.insert(
        database,
        callbackCursors.columns,
        'ON CONFLICT (callback) DO UPDATE SET sequence = excluded.sequence, off_at = excluded.off_at',
      ),
      put: callbackDeliveries.insert(
        database,
        callbackDeliveries.columns,
        `ON CONFLICT (callback, sequence) DO UPDATE SET tries = excluded.tries, next_at = excluded.next_at,
           problem = excluded.problem`,
      ),
      remove: database.prepare('DELETE FROM callback_deliveries WHERE callback = ? AND sequence = ?'),
      has: database.prepare('SELECT 1 FROM callback_deliveries WHERE callback = ? AND sequence = ?'),
      due: callbackDeliveries.select(
        database,
        `${of} AND next_at IS NOT NULL AND sequence NOT IN (SELECT value FROM json_each(?))
         ORDER BY next_at LIMIT 1`,
      ),
      revive: database.prepare(
        'UPDATE callback_deliveries SET failed_at = iif(next_at IS NULL, ?1, failed_at), next_at = ?1 WHERE callback = ?2',
      ),
      soon: database.prepare('UPDATE callback_deliveries SET next_at = ? WHERE callback = ? AND next_at > ?'),
      removeFrom: database.prepare('DELETE FROM callback_deliveries WHERE callback = ? AND sequence > ?'),
      count: queued.select(database, of),
      // Deletes the events that are not tried any more first, then the oldest.
      overflow: database.prepare(
        `DELETE FROM callback_deliveries WHERE callback = ?1 AND sequence IN (
           SELECT sequence FROM callback_deliveries WHERE callback = ?1
           ORDER BY next_at IS NOT NULL, sequence
           LIMIT max(0, (SELECT COUNT(*) FROM callback_deliveries WHERE callback = ?1) - ${mostKept}))`,
      ),
      forget: database.prepare(
        `DELETE FROM callback_deliveries
         WHERE at < ? AND (next_at IS NULL OR callback NOT IN (SELECT value FROM json_each(?)))`,
      ),
      last: database.prepare(`SELECT problem ${of} ORDER BY sequence DESC LIMIT 1`),
      undelivered: undelivered.select(
        database,
        `FROM callback_deliveries JOIN turns ON turns.id = turn JOIN team_sessions ON team_sessions.id = turns.session
         WHERE next_at IS NULL ORDER BY failed_at DESC LIMIT ?`,
      ),
    }
  }

  atomically<T>(work: () => T): T {
    return this.#database.isTransaction ? work() : this.#database.withoutSync(() => transaction(this.#database, work))
  }

  /** Of these turns, the ones whose events are for the callback, by id. */
  named(turnIds: readonly string[], callback: string): ReadonlyMap<string, { session: number; to: string }> {
    const found = turnIds.length === 0 ? [] : this.#statements.named.all(JSON.stringify(turnIds), callback)
    return new Map(found.map((row) => [row.id, row]))
  }

  cursor(callback: string): CursorRow {
    return this.#statements.cursor.get(callback) ?? { callback, sequence: 0, offAt: null }
  }

  setCursor(cursor: CursorRow): void {
    this.#statements.setCursor.run(cursor)
  }

  /** Keeps an event that was not taken. Returns how many other events were given up to make room for it. */
  put(row: DeliveryRow): number {
    this.#statements.put.run(row)
    return Number(this.#statements.overflow.run(row.callback).changes)
  }

  remove(callback: string, sequence: number): void {
    this.#statements.remove.run(callback, sequence)
  }

  /** Removes the failed events after that row: for a replay, they are read from the journal again. */
  removeFrom(callback: string, after: number): void {
    this.#statements.removeFrom.run(callback, after)
  }

  has(callback: string, sequence: number): boolean {
    return this.#statements.has.get(callback, sequence) !== undefined
  }

  /** The next event to post, other than those that are being posted. */
  due(callback: string, except: readonly number[]): DeliveryRow | undefined {
    return this.#statements.due.get(callback, JSON.stringify(except))
  }

  /** Posts all waiting events now, and tries events that were given up for another three days. */
  revive(callback: string, now: number): void {
    this.#statements.revive.run(now, callback)
  }

  /** Posts all waiting events now. */
  soon(callback: string, now: number): void {
    this.#statements.soon.run(now, callback, now)
  }

  count(callback: string): RowOf<typeof queued> {
    return this.#statements.count.get(callback)!
  }

  /** Why the newest failed event was not taken. */
  lastProblem(callback: string): string | undefined {
    return this.#statements.last.get(callback)?.['problem']?.toString()
  }

  /** Deletes events from before that time: those that were given up, and all events of removed callbacks. */
  forget(before: number, callbacks: readonly string[]): void {
    this.#statements.forget.run(before, JSON.stringify(callbacks))
  }

  /** The events that were given up, the latest first. */
  undelivered(limit: number): UndeliveredRow[] {
    return this.#statements.undelivered.all(limit)
  }
}
