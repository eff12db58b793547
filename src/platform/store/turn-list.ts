import type { DatabaseSync } from 'node:sqlite'
import type { TurnRow } from './ledger.ts'
import { sessions } from './sessions.ts'
import { type RowOf, Selection, text } from './table.ts'
import { turns } from './turns.ts'

/** Columns of `turns JOIN team_sessions`. */
export const turnSummaries = new Selection({
  ...turns.pick('sequence', 'parentTurn', 'parentToolUse', 'hop', 'awaited', 'acceptedAt', 'firstAt', 'dispatchedAt'),
  ...turns.pick('startedAt', 'settledAt', 'outcome', 'reason', 'detail', 'usage', 'attachments'),
  ...sessions.pick('from', 'to', 'thread', 'sessionId'),
  id: text('turns.id'),
  message: text('substr(turns.message, 1, 300)'),
})

/** A turn without its long texts; `message` is cut to 300 characters. */
export interface TurnSummary extends RowOf<typeof turnSummaries> {}

export interface TurnListFilter {
  /** Only first asks: turns that no agent asked for. */
  readonly root: boolean
  /** Only turns in which this team asks or answers. */
  readonly team: string | undefined
  /** Only turns that this asker asked. */
  readonly from: string | undefined
  readonly status: 'all' | 'open' | NonNullable<TurnRow['outcome']>
  /** Only turns with a lower sequence number. */
  readonly before: number | undefined
}

/** How many turns are searched for one page: a rare match must not block the daemon. */
const lookedAt = 2000

export interface TurnPage {
  readonly turns: readonly TurnSummary[]
  /**
   * The lowest sequence number that was searched, to be passed as `before` for the next page; undefined if there is no
   * next page.
   */
  readonly lookedTo: number | undefined
}

/** All turns, newest first, a page at a time. Read-only. */
export class TurnList {
  readonly #statements

  constructor(database: DatabaseSync) {
    const page = (which: string) =>
      turnSummaries.select(
        database,
        `FROM turns JOIN team_sessions ON team_sessions.id = turns.session
         WHERE ${which} AND turns.sequence < ?1 AND (?2 = 0 OR parent_turn IS NULL)
           AND (?3 IS NULL OR ?3 IN (from_team, to_team)) AND (?5 IS NULL OR ?5 = from_team)
         ORDER BY turns.sequence DESC LIMIT ?4`,
      )
    this.#statements = {
      page: page(`turns.sequence >= ?6 AND (?7 = 'all' OR outcome = ?7)`),
      open: page(`turns.state <> 'settled'`),
      newest: database.prepare('SELECT COALESCE(MAX(sequence), 0) AS newest FROM turns'),
    }
  }

  page({ root, team, from, status, before }: TurnListFilter, limit: number): TurnPage {
    const { page, open, newest } = this.#statements
    const below = before ?? Number(newest.get()?.['newest']) + 1
    const since = status === 'open' ? 1 : Math.max(1, below - lookedAt)
    const which = [below, root ? 1 : 0, team ?? null] as const
    // One extra row shows whether there is another page.
    const found =
      status === 'open'
        ? open.all(...which, limit + 1, from ?? null)
        : page.all(...which, limit + 1, from ?? null, since, status)
    const shown = found.slice(0, limit)
    const lookedTo = found.length > limit ? shown.at(-1)?.sequence : since
    return { turns: shown, lookedTo: lookedTo !== undefined && lookedTo > 1 ? lookedTo : undefined }
  }
}
