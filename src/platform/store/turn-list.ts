import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { Pair } from '../../base/protocol/pair.ts'
import type { TurnRow } from './ledger.ts'

/** A turn without its long texts; `message` is cut to 300 characters. */
export interface TurnSummary
  extends Pair,
    Pick<
      TurnRow,
      | 'sequence'
      | 'id'
      | 'message'
      | 'parentTurn'
      | 'parentToolUse'
      | 'hop'
      | 'awaited'
      | 'acceptedAt'
      | 'firstAt'
      | 'dispatchedAt'
      | 'startedAt'
      | 'settledAt'
      | 'outcome'
      | 'reason'
      | 'detail'
      | 'usage'
      | 'attachments'
    > {
  readonly sessionId: string
}

export interface TurnListFilter {
  /** Only turns that no agent asked for. */
  readonly root: boolean
  /** Only turns in which it asks or answers. */
  readonly team: string | undefined
  /** Only turns that it asked. */
  readonly from: string | undefined
  readonly status: 'all' | 'open' | NonNullable<TurnRow['outcome']>
  /** Only turns with a lower sequence number. */
  readonly before: number | undefined
}

export const turnSummaryColumns = `turns.sequence, turns.id, substr(turns.message, 1, 300) AS message,
  parent_turn AS parentTurn, parent_tool_use AS parentToolUse, hop, awaited, accepted_at AS acceptedAt,
  first_at AS firstAt, dispatched_at AS dispatchedAt, started_at AS startedAt, settled_at AS settledAt, outcome, reason,
  detail, usage, attachments, s.from_team AS "from", s.to_team AS "to", s.thread, s.session_id AS sessionId`

export function toSummary(raw: Record<string, SQLOutputValue>): TurnSummary {
  const parsed = (column: string) => (raw[column] === null ? null : JSON.parse(String(raw[column])))
  const [usage, attachments] = ['usage', 'attachments'].map(parsed)
  return { ...(raw as unknown as TurnSummary), awaited: raw['awaited'] === 1, usage, attachments }
}

/** How many turns are searched for one page: a rare match must not block the daemon. */
const lookedAt = 2000

export interface TurnPage {
  readonly turns: readonly TurnSummary[]
  /** The lowest sequence number that was searched, `before` for the next page; undefined when there is no next page. */
  readonly lookedTo: number | undefined
}

/** All turns, the newest first, a page at a time. Reads only. */
export class TurnList {
  readonly #statements

  constructor(database: DatabaseSync) {
    const page = (which: string): string => `
      SELECT ${turnSummaryColumns} FROM turns JOIN team_sessions AS s ON s.id = turns.session
      WHERE ${which} AND turns.sequence < ?1 AND (?2 = 0 OR parent_turn IS NULL)
        AND (?3 IS NULL OR ?3 IN (s.from_team, s.to_team)) AND (?5 IS NULL OR ?5 = s.from_team) ORDER BY turns.sequence DESC LIMIT ?4`
    this.#statements = {
      page: database.prepare(page(`turns.sequence >= ?6 AND (?7 = 'all' OR outcome = ?7)`)),
      open: database.prepare(page(`turns.state <> 'settled'`)),
      newest: database.prepare('SELECT COALESCE(MAX(sequence), 0) AS newest FROM turns'),
    }
  }

  page({ root, team, from, status, before }: TurnListFilter, limit: number): TurnPage {
    const { page, open, newest } = this.#statements
    const below = before ?? Number(newest.get()?.['newest']) + 1
    const since = status === 'open' ? 1 : Math.max(1, below - lookedAt)
    const which = [below, root ? 1 : 0, team ?? null] as const
    // One row more shows whether there is another page.
    const found =
      status === 'open'
        ? open.all(...which, limit + 1, from ?? null)
        : page.all(...which, limit + 1, from ?? null, since, status)
    const turns = found.slice(0, limit).map(toSummary)
    const lookedTo = found.length > limit ? turns.at(-1)?.sequence : since
    return { turns, lookedTo: lookedTo !== undefined && lookedTo > 1 ? lookedTo : undefined }
  }
}
