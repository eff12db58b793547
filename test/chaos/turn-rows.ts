import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Usage } from '../../src/base/protocol/turn.ts'

interface TurnRow {
  readonly id: string
  readonly token: string
  readonly state: string
  readonly outcome: string | null
  readonly reason: string | null
  readonly text: string
  readonly usage: Usage | null
  /** The work of which a command ran when it ended, such as `t7.0`. */
  readonly leftRunning: readonly string[]
  /** Messages that joined it. */
  readonly joined: readonly string[]
}

interface ToolRow {
  readonly turn: string
  readonly toolUseId: string
}

interface ReportRow {
  readonly turn: string
  readonly kind: 'said' | 'ended'
  readonly text: string
}

/** What the store of an Iris knows of one conversation. */
export interface TurnRows {
  readonly turns: readonly TurnRow[]
  readonly tools: readonly ToolRow[]
  readonly reportTools: readonly ToolRow[]
  readonly reports: readonly ReportRow[]
}

export function turnRows(home: string, thread: string): TurnRows {
  using database = new DatabaseSync(join(home, 'data/team-sessions.db'), { readOnly: true })
  const all = (sql: string) => database.prepare(sql).all(thread)
  const turns = `(SELECT turns.id FROM turns JOIN team_sessions s ON s.id = session WHERE thread = ?)`
  const tokenOf = (message: unknown): string => String(message).split(' ')[0]!
  const steers = all(`SELECT turn, message FROM steers WHERE turn IN ${turns}`)
  return {
    turns: all(
      `SELECT id, message, state, outcome, reason, usage, answer, partial, background FROM turns WHERE id IN ${turns} ORDER BY sequence`,
    ).map(({ id, message, state, outcome, reason, usage, answer, partial, background }) => ({
      id: String(id),
      token: tokenOf(message),
      state: String(state),
      outcome: outcome === null ? null : String(outcome),
      reason: reason === null ? null : String(reason),
      text: [answer, partial].filter((each) => each !== null).join('\n'),
      usage: typeof usage === 'string' ? (JSON.parse(usage) as Usage) : null,
      leftRunning: [...String(background).matchAll(/job-(t\d+\.\d+)/g)].map(([, step]) => step!),
      joined: steers.filter(({ turn }) => turn === id).map((steer) => tokenOf(steer['message'])),
    })),
    tools: all(`SELECT turn, tool_use_id AS toolUseId FROM tool_starts WHERE turn IN ${turns}`) as unknown as ToolRow[],
    reportTools: all(
      `SELECT turn, tool_use_id AS toolUseId FROM report_tools WHERE turn IN ${turns}`,
    ) as unknown as ToolRow[],
    reports: all(
      `SELECT turn, kind, text FROM reports WHERE text <> '' AND turn IN ${turns} ORDER BY sequence`,
    ) as unknown as ReportRow[],
  }
}
