import type { DatabaseSync } from 'node:sqlite'
import type { Pair } from '../../base/protocol/pair.ts'

/** A message that had not ended when its home was copied. `begunAt`: it had been delivered to Claude Code; null: it waited. */
export interface LeftMessage extends Pair {
  readonly turnId: string
  readonly acceptedAt: number
  readonly begunAt: number | null
  readonly message: string
}

/** A message that is to be sent later. */
export interface LeftSchedule {
  readonly scheduleId: string
  /** What is sent, JSON. */
  readonly ask: string
  /** Milliseconds since the epoch. */
  readonly nextAt: number
}

const openPosts = `state IN ('waiting', 'sending', 'reserved')`

/** What a copied or restored home still would do, and how that ends. */
export class Adoption {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** In the order of acceptance. */
  messages(): readonly LeftMessage[] {
    return this.#database
      .prepare(
        `SELECT turns.id AS turnId, from_team AS "from", to_team AS "to", thread, accepted_at AS acceptedAt,
           dispatched_at AS begunAt, message
         FROM turns JOIN team_sessions ON team_sessions.id = turns.session WHERE state <> 'settled' ORDER BY sequence`,
      )
      .all() as unknown as LeftMessage[]
  }

  schedules(): readonly LeftSchedule[] {
    return this.#database
      .prepare(
        'SELECT id AS scheduleId, ask, next_at AS nextAt FROM schedules WHERE next_at IS NOT NULL ORDER BY next_at',
      )
      .all() as unknown as LeftSchedule[]
  }

  /** How many messages are to be posted in chats. */
  posts(): number {
    return Number(
      this.#database.prepare(`SELECT COUNT(*) AS count FROM channel_posts WHERE ${openPosts}`).get()?.['count'],
    )
  }

  /** Nothing is posted in chats, and no person there is answered. */
  cancelPosts(why: string): void {
    this.#database.prepare(`UPDATE channel_posts SET state = 'failed', problem = ? WHERE ${openPosts}`).run(why)
    this.#database.prepare(`UPDATE channel_messages SET state = 'skipped' WHERE state = 'asked'`).run()
  }

  /** Notices that wait for the next message of their pair are not carried by it. */
  cancelNotices(at: number): void {
    this.#database.prepare('UPDATE notices SET expires_at = MIN(expires_at, ?) WHERE turn IS NULL').run(at)
  }

  /** What other hosts are owed is left to the original. */
  leaveCluster(): void {
    this.#database.exec('UPDATE cluster_asks SET answered = 1; DELETE FROM cluster_cancels')
  }

  /**
   * Archives every conversation for good: a pair's next message begins a new one. Those that an adoption began whose
   * process was killed before it was over stay. Returns the row ids of the archived ones.
   */
  leaveConversations(why: string, at: number): ReadonlySet<number> {
    const rows = this.#database
      .prepare(
        `UPDATE team_sessions SET status = 'archived', dormant = 0, archived_at = COALESCE(archived_at, ?1),
           archived_why = COALESCE(archived_why, ?2)
         WHERE (status <> 'archived' OR dormant = 1)
           AND (origin <> 'reset' OR origin_session IS NULL
             OR origin_session NOT IN (SELECT session_id FROM team_sessions WHERE archived_why = ?2))
         RETURNING id`,
      )
      .all(at, why)
    return new Set(rows.map(({ id }) => Number(id)))
  }
}
