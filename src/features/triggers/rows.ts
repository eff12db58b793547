import type { DatabaseSync } from 'node:sqlite'
import type { Pair } from '../../base/protocol/pair.ts'
import { flag, number, type RowOf, Selection, Table, text } from '../../platform/store/table.ts'

export const triggerSeen = new Table('trigger_seen', {
  name: text(),
  hash: text(),
  firstSeen: number(),
  turn: text(),
  began: flag(),
})

const found = new Selection(triggerSeen.pick('turn', 'firstSeen'))
const idle = new Selection({ from: text('from_team'), to: text('to_team'), thread: text() })

/** The table `trigger_seen`, and what triggers need to know of conversations. */
export class TriggerRows {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      add: triggerSeen.insert(database, triggerSeen.columns),
      find: found.select(
        database,
        'FROM trigger_seen WHERE name = ? AND hash = ? AND first_seen > ? ORDER BY first_seen DESC LIMIT 1',
      ),
      begun: database.prepare(
        'SELECT COUNT(*) AS count FROM trigger_seen WHERE name = ? AND began = 1 AND first_seen > ?',
      ),
      forget: database.prepare(
        'DELETE FROM trigger_seen WHERE (name, hash, first_seen) IN (SELECT name, hash, first_seen FROM trigger_seen WHERE first_seen < ? LIMIT ?)',
      ),
      // A range, because LIKE uses no index.
      idle: idle.select(
        database,
        `FROM team_sessions WHERE status <> 'archived' AND from_team >= 'trigger:' AND from_team < 'trigger;'
           AND last_used_at < ? LIMIT ?`,
      ),
    }
  }

  /** Runs in the caller's transaction. */
  add(row: RowOf<typeof triggerSeen>): void {
    this.#statements.add.run(row)
  }

  /** The event's message, if it came after `since`. */
  find(name: string, hash: string, since: number): RowOf<typeof found> | undefined {
    return this.#statements.find.get(name, hash, since)
  }

  /** How many conversations events of this trigger have begun since then. */
  begunSince(name: string, since: number): number {
    return Number(this.#statements.begun.get(name, since)!['count'])
  }

  /** Deletes at most `most` rows from before that time; returns how many. */
  forget(before: number, most: number): number {
    return Number(this.#statements.forget.run(before, most).changes)
  }

  /** Conversations of triggers that nobody has used since then. */
  idleSince(time: number, most: number): readonly Pair[] {
    return this.#statements.idle.all(time, most)
  }
}
