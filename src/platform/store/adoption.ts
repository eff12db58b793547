import type { DatabaseSync } from 'node:sqlite'
import { sessions } from './sessions.ts'
import { number, type RowOf, Selection, text } from './table.ts'
import { turns } from './turns.ts'

const left = new Selection({
  turnId: text('turns.id'),
  ...sessions.pick('from', 'to', 'thread'),
  ...turns.pick('acceptedAt', 'message'),
  /** When the message was delivered to Claude Code; null if it was still waiting. */
  begunAt: number<number | null>('dispatched_at'),
})

const leftSchedules = new Selection({
  scheduleId: text('id'),
  /** The scheduled ask, as JSON. */
  ask: text(),
  /** Milliseconds since the epoch. */
  nextAt: number(),
})

/** A message that had not ended when its home was copied. */
export interface LeftMessage extends RowOf<typeof left> {}

/** A message that is to be sent later. */
export interface LeftSchedule extends RowOf<typeof leftSchedules> {}

/** Posts in chats that have not been sent, or for which that is uncertain. */
const openPosts = `state IN ('waiting', 'sending', 'reserved')`

/** The pending work of a copied or restored home, and ways to end it. */
export class Adoption {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** The unfinished messages, in the order of acceptance. */
  messages(): readonly LeftMessage[] {
    const unsettled = `FROM turns JOIN team_sessions ON team_sessions.id = turns.session WHERE state <> 'settled'`
    return left.select(this.#database, `${unsettled} ORDER BY sequence`).all()
  }

  /** The scheduled messages, in the order in which they are due. */
  schedules(): readonly LeftSchedule[] {
    return leftSchedules.select(this.#database, 'FROM schedules WHERE next_at IS NOT NULL ORDER BY next_at').all()
  }

  /** How many posts in chats are still to be sent. */
  posts(): number {
    return Number(
      this.#database.prepare(`SELECT COUNT(*) AS count FROM channel_posts WHERE ${openPosts}`).get()?.['count'],
    )
  }

  /** Gives up all unsent posts in chats, and all answers that people there are waiting for. */
  cancelPosts(why: string): void {
    this.#database.prepare(`UPDATE channel_posts SET state = 'failed', problem = ? WHERE ${openPosts}`).run(why)
    this.#database.prepare(`UPDATE channel_messages SET state = 'skipped' WHERE state = 'asked'`).run()
  }

  /** Expires the notices that wait for their pair's next message. */
  cancelNotices(at: number): void {
    this.#database.prepare('UPDATE notices SET expires_at = MIN(expires_at, ?) WHERE turn IS NULL').run(at)
  }

  /** Leaves it to the original home to answer other hosts. */
  leaveCluster(): void {
    this.#database.exec('UPDATE cluster_asks SET answered = 1; DELETE FROM cluster_cancels')
  }

  /**
   * Archives every conversation for good: a pair's next message begins a new one. Keeps conversations that began in an
   * earlier adoption that was killed before it finished. Returns the row ids of the archived conversations.
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
