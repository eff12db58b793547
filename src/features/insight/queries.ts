import type { RecordedCost } from '../../platform/store/recording.ts'
import type { Circle } from './circles.ts'

/** The SQL statements that return the figures of a reflection. Run them on the store: `sqlite3 -readonly`. */

/** One row for each of these messages. */
export function messagesQuery(turns: readonly string[]): string {
  return `SELECT id, datetime(accepted_at / 1000, 'unixepoch') AS asked, message, answer
FROM turns WHERE id IN (${listed(turns)}) ORDER BY sequence`
}

/** One row for each permission question that a rule would have answered. */
export function permissionsQuery(questions: readonly string[]): string {
  return `SELECT id, tool_name, input, state, decided_by FROM permissions
WHERE id IN (${listed(questions)}) ORDER BY asked_at`
}

/** One row with the number of messages and the cost of a pair. */
export function costQuery({ from, to }: Pick<RecordedCost, 'from' | 'to'>, since: number, until: number): string {
  return `SELECT count(*) AS messages, sum(usage ->> 'costUsd') AS costUsd
FROM turns JOIN team_sessions ON team_sessions.id = turns.session
WHERE usage IS NOT NULL AND from_team = ${text(from)} AND to_team = ${text(to)}
  AND accepted_at >= ${Math.trunc(since)} AND accepted_at < ${Math.trunc(until)}`
}

/** The tools of a turn in their order, or the turn and the turns above it. */
export function circleQuery({ kind, turn }: Pick<Circle, 'kind' | 'turn'>): string {
  if (kind === 'tools') {
    return `SELECT name, input_short, input_hash FROM tool_starts
WHERE turn = ${text(turn)} AND within IS NULL ORDER BY started_at`
  }
  return `WITH RECURSIVE above AS (
  SELECT id, parent_turn, message FROM turns WHERE id = ${text(turn)}
  UNION ALL SELECT turns.id, turns.parent_turn, turns.message FROM turns JOIN above ON turns.id = above.parent_turn)
SELECT id, message FROM above`
}

function listed(values: readonly string[]): string {
  return values.map(text).join(', ')
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}
