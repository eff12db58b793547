import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'

export interface ManyTurns {
  readonly turns: number
  /** Instead of all that were there. */
  readonly emptied?: boolean
  readonly from?: string
  readonly to?: string
}

/** Writes a conversation with that many answered turns to the store of a daemon that does not run. Returns its session id. */
export function fillStore(
  path: string,
  { turns, emptied = false, from = 'mobile', to = 'backend' }: ManyTurns,
): string {
  using database = new DatabaseSync(path)
  const sessionId = randomUUID()
  const began = Date.now() - turns * 60_000
  database.exec('BEGIN')
  if (emptied) database.exec('DELETE FROM turns')
  // Marked as if Claude Code had answered nothing in it, so that a message to it does not find its transcript missing.
  const { id } = database
    .prepare(
      `INSERT INTO team_sessions (from_team, to_team, thread, session_id, created_at, last_used_at)
       VALUES (?, ?, 'long', ?, ?, ?) RETURNING id`,
    )
    .get(from, to, sessionId, began, began + turns * 60_000) as { id: number }
  const turn = database.prepare(
    `INSERT INTO turns (id, session, message, hop, awaited, state, outcome, answer, usage, accepted_at, dispatched_at, started_at, settled_at)
     VALUES (?, ?, ?, 1, 0, 'settled', 'completed', ?, ?, ?, ?, ?, ?)`,
  )
  const usage = JSON.stringify({
    inputTokens: 3,
    outputTokens: 40,
    cacheReadTokens: 900,
    cacheWriteTokens: 20,
    costUsd: 0.01,
  })
  for (let number = 1; number <= turns; number += 1) {
    const at = began + number * 60_000
    const answer = `Answer ${number}: filler.\n\n${'- one more line of it\n'.repeat(number % 7)}`
    turn.run(randomUUID(), id, `Question ${number}, filler?`, answer, usage, at, at + 10, at + 500, at + 20_000)
  }
  database.exec('COMMIT')
  return sessionId
}

/** Says to the store of a daemon that does not run that a conversation was made shorter just now. */
export function compacted(path: string, session: number): void {
  using database = new DatabaseSync(path)
  database
    .prepare('INSERT INTO compactions (session, at, before_tokens, after_tokens) VALUES (?, ?, 150000, 12000)')
    .run(session, Date.now())
}
