import type { DatabaseSync } from 'node:sqlite'
import type { Pair } from '../../../base/protocol/pair.ts'
import { sessions } from '../../../platform/store/sessions.ts'
import { number, type RowOf, Selection, text } from '../../../platform/store/table.ts'
import { turns } from '../../../platform/store/turns.ts'

/** The most recently used first. `?4`: the maximum length of a title. */
const conversations = new Selection({
  team: text(),
  ...sessions.pick('thread'),
  lastUsedAt: number('lastUsedAt'),
  title: text<string | null>(
    '(SELECT substr(message, 1, ?4) FROM turns WHERE session = first ORDER BY sequence LIMIT 1)',
  ),
  /** The number of its turns that have not ended. */
  open: number(`(SELECT COUNT(*) FROM turns JOIN team_sessions ON team_sessions.id = turns.session
    WHERE turns.state <> 'settled' AND from_team = ?1 AND to_team = team AND team_sessions.thread = mine.thread)`),
})

/** `?5`: the maximum length of each text. */
const shown = new Selection({
  ...turns.pick('sequence', 'attachments', 'outcome', 'contextReset', 'acceptedAt', 'dispatchedAt', 'settledAt'),
  id: text('turns.id'),
  message: text('substr(message, 1, ?5)'),
  messageLength: number('length(message)'),
  text: text<string | null>('substr(COALESCE(answer, partial), 1, ?5)'),
  textLength: number(`length(COALESCE(answer, partial, ''))`),
})

const pairs = new Selection(sessions.pick('from', 'to', 'thread'))

export interface ViewerTurnRow extends RowOf<typeof shown> {}

/** Selects the threads of a role: its main thread, `?2`, and the threads below that. */
const ofRole = `from_team = ?1 AND (thread = ?2 OR substr(thread, 1, length(?2) + 1) = ?2 || ':')`

/** The conversations and turns of one asker, and of no other. Read-only. */
export class ViewerRows {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      conversations: conversations.prepare(
        database,
        `WITH mine AS (
           SELECT to_team AS team, thread, MAX(last_used_at) AS lastUsedAt, MIN(id) AS first
           FROM team_sessions WHERE ${ofRole} GROUP BY to_team, thread ORDER BY lastUsedAt DESC LIMIT ?3
         )
         SELECT ${conversations.list}
         FROM mine ORDER BY lastUsedAt DESC`,
      ),
      turns: shown.select(
        database,
        `FROM turns JOIN team_sessions ON team_sessions.id = turns.session
         WHERE from_team = ?1 AND to_team = ?2 AND thread = ?3 AND sequence < ?4 ORDER BY sequence DESC LIMIT ?6`,
      ),
      open: database.prepare(
        `SELECT COUNT(*) AS count FROM turns JOIN team_sessions ON team_sessions.id = turns.session
         WHERE turns.state <> 'settled' AND from_team = ?`,
      ),
      live: pairs.select(
        database,
        `FROM team_sessions WHERE status <> 'archived' AND from_team = ? ORDER BY last_used_at`,
      ),
    }
  }

  /** The most recently used first. `roleThread` is the main thread of the role. */
  conversations(asker: string, roleThread: string, limit: number, titleLength: number): RowOf<typeof conversations>[] {
    return this.#statements.conversations.all(asker, roleThread, limit, titleLength)
  }

  /** At most `limit` turns from all sessions of the pair, with a sequence below `before`, the newest first. */
  turns({ from, to, thread }: Pair, before: number, limit: number, longest: number): ViewerTurnRow[] {
    return this.#statements.turns.all(from, to, thread, before, longest, limit)
  }

  /** How many turns of this asker have not ended. */
  open(asker: string): number {
    return Number(this.#statements.open.get(asker)?.['count'])
  }

  /** The pairs of this asker's live sessions, the least recently used first. */
  live(asker: string): Pair[] {
    return this.#statements.live.all(asker)
  }
}
