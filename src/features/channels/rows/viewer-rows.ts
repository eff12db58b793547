import type { DatabaseSync } from 'node:sqlite'
import type { Attachment } from '../../../base/protocol/attachment.ts'
import type { Pair } from '../../../base/protocol/pair.ts'
import type { Outcome } from '../../../base/protocol/turn.ts'

export interface ViewerConversationRow {
  readonly team: string
  readonly thread: string
  readonly lastUsedAt: number
  readonly title: string | null
  /** The number of its turns that have not ended. */
  readonly open: number
}

export interface ViewerTurnRow {
  readonly sequence: number
  readonly id: string
  readonly message: string
  readonly messageLength: number
  readonly text: string | null
  readonly textLength: number
  readonly attachments: readonly Attachment[] | null
  readonly outcome: Outcome | null
  readonly contextReset: string | null
  readonly acceptedAt: number
  readonly dispatchedAt: number | null
  readonly settledAt: number | null
}

/** A thread of the role: the main one of `?2`, or one below it. */
const ofRole = `from_team = ?1 AND (thread = ?2 OR substr(thread, 1, length(?2) + 1) = ?2 || ':')`

/** Conversations and turns of one asker, with nothing of any other. Read-only. */
export class ViewerRows {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      conversations: database.prepare(
        `WITH mine AS (
           SELECT to_team AS team, thread, MAX(last_used_at) AS lastUsedAt, MIN(id) AS first
           FROM team_sessions WHERE ${ofRole} GROUP BY to_team, thread ORDER BY lastUsedAt DESC LIMIT ?3
         )
         SELECT team, thread, lastUsedAt,
           (SELECT substr(message, 1, ?4) FROM turns WHERE session = first ORDER BY sequence LIMIT 1) AS title,
           (SELECT COUNT(*) FROM turns JOIN team_sessions ON team_sessions.id = turns.session
            WHERE turns.state <> 'settled' AND from_team = ?1 AND to_team = team AND team_sessions.thread = mine.thread) AS open
         FROM mine ORDER BY lastUsedAt DESC`,
      ),
      turns: database.prepare(
        `SELECT sequence, turns.id AS id, substr(message, 1, ?5) AS message, length(message) AS messageLength,
           substr(COALESCE(answer, partial), 1, ?5) AS text, length(COALESCE(answer, partial, '')) AS textLength,
           attachments, outcome, context_reset AS contextReset, accepted_at AS acceptedAt, dispatched_at AS dispatchedAt,
           settled_at AS settledAt
         FROM turns JOIN team_sessions ON team_sessions.id = turns.session
         WHERE from_team = ?1 AND to_team = ?2 AND thread = ?3 AND sequence < ?4 ORDER BY sequence DESC LIMIT ?6`,
      ),
      open: database.prepare(
        `SELECT COUNT(*) AS count FROM turns JOIN team_sessions ON team_sessions.id = turns.session
         WHERE turns.state <> 'settled' AND from_team = ?`,
      ),
      live: database.prepare(
        `SELECT from_team AS "from", to_team AS "to", thread FROM team_sessions
         WHERE status <> 'archived' AND from_team = ? ORDER BY last_used_at`,
      ),
    }
  }

  /** The last used first. `roleThread` is the main thread of the role. */
  conversations(asker: string, roleThread: string, limit: number, titleLength: number): ViewerConversationRow[] {
    const rows = this.#statements.conversations.all(asker, roleThread, limit, titleLength)
    return rows as unknown as ViewerConversationRow[]
  }

  /** At most `limit` turns of all sessions of the pair before that sequence, the newest first. */
  turns({ from, to, thread }: Pair, before: number, limit: number, longest: number): ViewerTurnRow[] {
    const rows = this.#statements.turns.all(from, to, thread, before, longest, limit)
    return rows.map((row) => ({
      ...(row as unknown as ViewerTurnRow),
      attachments: typeof row['attachments'] === 'string' ? JSON.parse(row['attachments']) : null,
    }))
  }

  /** How many turns of this asker have not ended. */
  open(asker: string): number {
    return Number(this.#statements.open.get(asker)?.['count'])
  }

  /** The pairs of this asker's live sessions, the least recently used first. */
  live(asker: string): Pair[] {
    return this.#statements.live.all(asker) as unknown as Pair[]
  }
}
