import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { Pair } from '../protocol/party.ts'
import type { TurnRow } from './ledger.ts'

/** A turn without its long texts; `message` is the beginning of it. */
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
    > {
  readonly sessionId: string
}

export interface TurnListFilter {
  /** Only what no agent asked for. */
  readonly root: boolean
  /** Asks or answers. */
  readonly team: string | undefined
  readonly status: 'all' | 'open' | NonNullable<TurnRow['outcome']>
  /** Only what was accepted before this place in the order of all turns. */
  readonly before: number | undefined
}

export const turnSummaryColumns = `turns.sequence, turns.id, substr(turns.message, 1, 300) AS message,
  parent_turn AS parentTurn, parent_tool_use AS parentToolUse, hop, awaited, accepted_at AS acceptedAt,
  first_at AS firstAt, dispatched_at AS dispatchedAt, started_at AS startedAt, settled_at AS settledAt, outcome, reason,
  detail, usage, s.from_team AS "from", s.to_team AS "to", s.thread, s.session_id AS sessionId`

export function toSummary(raw: Record<string, SQLOutputValue>): TurnSummary {
  const usage = raw['usage'] === null ? null : JSON.parse(String(raw['usage']))
  return { ...(raw as unknown as TurnSummary), awaited: raw['awaited'] === 1, usage }
}

/** All turns, the newest first, a page at a time. Reads only. */
export class TurnList {
  readonly #page

  constructor(database: DatabaseSync) {
    this.#page = database.prepare(`
      SELECT ${turnSummaryColumns} FROM turns JOIN team_sessions AS s ON s.id = turns.session
      WHERE turns.sequence < ?1 AND (?2 = 0 OR parent_turn IS NULL) AND (?3 IS NULL OR ?3 IN (s.from_team, s.to_team))
        AND (?4 = 'all' OR outcome IS CASE ?4 WHEN 'open' THEN NULL ELSE ?4 END)
      ORDER BY turns.sequence DESC LIMIT ?5`)
  }

  page({ root, team, status, before }: TurnListFilter, limit: number): TurnSummary[] {
    const from = before ?? Number.MAX_SAFE_INTEGER
    return this.#page.all(from, root ? 1 : 0, team ?? null, status, limit).map(toSummary)
  }
}
