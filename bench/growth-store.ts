import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openDatabase } from '../src/platform/store/database.ts'
import type { World } from '../test/support/world.ts'

const hourMs = 3_600_000
const maxSessions = 1000
const usage = JSON.stringify({
  inputTokens: 3,
  outputTokens: 40,
  cacheReadTokens: 900,
  cacheWriteTokens: 20,
  costUsd: 0.01,
})

const id = (kind: number, number: number): string =>
  `${String(kind).padStart(8, '0')}-0000-4000-8000-${String(number).padStart(12, '0')}`

/** Of the turn with this number. */
export const turnId = (number: number): string => id(1, number)
/** Of the conversation with this number. */
export const sessionId = (number: number): string => id(2, number)

/**
 * Writes answered turns to the store of a daemon that does not run: in the order of time, over the last hundred days, in up
 * to a thousand conversations from `mobile` to `backend`. One in a hundred failed, and each ran a tool.
 */
export function fillTurns({ home }: World, turns: number): void {
  const path = join(home, 'data/team-sessions.db')
  mkdirSync(dirname(path), { recursive: true })
  using database = openDatabase(path)
  database.exec('PRAGMA synchronous = OFF; BEGIN')
  const sessions = Math.min(maxSessions, Math.ceil(turns / 10))
  const now = Date.now()
  const began = now - 2400 * hourMs
  const session = database.prepare(
    `INSERT INTO team_sessions (from_team, to_team, thread, session_id, created_at, last_used_at, message_count)
     VALUES ('mobile', 'backend', ?, ?, ?, ?, ?) RETURNING id`,
  )
  const rows = Array.from({ length: sessions }, (_, number) => {
    const thread = number === 0 ? 'main' : `thread-${number}`
    return Number(session.get(thread, sessionId(number), began, now, Math.floor(turns / sessions))!['id'])
  })
  const turn = database.prepare(
    `INSERT INTO turns (id, session, message, hop, awaited, state, outcome, reason, answer, usage, accepted_at, dispatched_at,
       started_at, settled_at) VALUES (?, ?, ?, 1, 0, 'settled', ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const tool = database.prepare(
    `INSERT INTO tool_starts (turn, tool_use_id, delivery, name, input_hash, started_at, ended_at, is_error, input_short)
     VALUES (?1, ?1, ?1, 'Bash', 'hash', ?2, ?2 + 500, 0, 'npm test')`,
  )
  for (let number = 0; number < turns; number += 1) {
    const at = Math.floor(began + (number * 2400 * hourMs) / turns)
    const end = number % 100 === 99 ? ['failed', 'api_error', null] : ['completed', null, `Answer ${number}, filler.`]
    const [outcome, reason, answer] = end as [string, string | null, string | null]
    const question = `Question ${number}, filler?`
    turn.run(
      turnId(number),
      rows[number % sessions]!,
      question,
      outcome,
      reason,
      answer,
      usage,
      at,
      at,
      at,
      at + 20_000,
    )
    tool.run(turnId(number), at)
  }
  database.exec('COMMIT')
}
