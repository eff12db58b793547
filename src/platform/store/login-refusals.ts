import { DatabaseSync } from 'node:sqlite'
import { lockWaitMs, refuseOtherThanFile } from './plain-store.ts'

export interface LoginRefusal {
  readonly team: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly detail: string
}

/**
 * The teams whose login the API refused for their last message, ordered by name. Throws if the store cannot be read.
 */
export function lastLoginRefusals(path: string): readonly LoginRefusal[] {
  refuseOtherThanFile(path)
  using database = new DatabaseSync(path, { readOnly: true, timeout: lockWaitMs })
  // With max(), SQLite takes the other columns from the row that has the maximum: a team's last message.
  const rows = database.prepare(
    `SELECT team, at, detail FROM (
       SELECT team_sessions.to_team AS team, max(settled_at) AS at, reason, detail
       FROM turns JOIN team_sessions ON team_sessions.id = turns.session
       WHERE outcome = 'completed' OR reason = 'api_auth' GROUP BY to_team
     ) WHERE reason = 'api_auth' ORDER BY team`,
  )
  return rows
    .all()
    .map(({ team, at, detail }) => ({ team: String(team), at: Number(at), detail: String(detail ?? '') }))
}
