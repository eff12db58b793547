import { join } from 'node:path'
import { openDatabase } from '../../src/platform/store/database.ts'
import { createWorld, type World } from './world.ts'

const hourMs = 3_600_000

interface Size {
  readonly teams: number
  readonly sessions: number
  readonly turnsEach: number
}

/** An Iris that has been used for a while by many teams; nothing of it runs. */
export async function usedWorld({ teams, sessions, turnsEach }: Size): Promise<World> {
  const names = Array.from({ length: teams }, (_, index) => `team-${String(index).padStart(2, '0')}`)
  const colors = ['#2563eb', '#16a34a', '#dc2626', '#9333ea', '#ea580c', '#0891b2']
  const named = names.map((name, index) => [name, { color: colors[index % colors.length]! }])
  const world = await createWorld({ teams: Object.fromEntries(named) })
  const database = openDatabase(join(world.home, 'data/team-sessions.db'))
  const insertSession = database.prepare(
    `INSERT INTO team_sessions (from_team, to_team, thread, session_id, created_at, last_used_at, last_response_at,
       message_count, context_tokens, context_window, cost_usd)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 200000, ?) RETURNING id`,
  )
  const insertTurn = database.prepare(
    `INSERT INTO turns (id, session, message, hop, awaited, state, outcome, answer, usage, accepted_at, settled_at)
     VALUES (?, ?, ?, 1, 1, 'settled', 'completed', ?, ?, ?, ?)`,
  )
  const usage = JSON.stringify({
    inputTokens: 9,
    outputTokens: 90,
    cacheReadTokens: 9000,
    cacheWriteTokens: 90,
    costUsd: 0.01,
  })
  database.exec('PRAGMA synchronous = OFF; BEGIN')
  const [now, days] = [Date.now(), 3]
  const rows: number[] = []
  for (let index = 0; index < sessions; index += 1) {
    const at = now - (index * days * 24 * hourMs) / sessions
    const [from, to] = [names[index % teams]!, names[(index * 7 + 1 + Math.floor(index / teams)) % teams]!]
    const row = insertSession.get(
      ...[from === to ? 'external' : from, to, `t${index}`, crypto.randomUUID(), at - hourMs, at, at, turnsEach],
      ...[(index * 7919) % 200_000, 0.01 * turnsEach],
    )
    rows.push(Number(row?.['id']))
  }
  // In the order of time, as a ledger is.
  for (let turn = turnsEach - 1; turn >= 0; turn -= 1) {
    for (let index = sessions - 1; index >= 0; index -= 1) {
      const at = now - (index * days * 24 * hourMs) / sessions
      const [message, answer] = ['a question '.padEnd(400, 'x'), 'an answer '.padEnd(2000, 'x')]
      insertTurn.run(crypto.randomUUID(), rows[index]!, message, answer, usage, at, at)
    }
  }
  database.exec('COMMIT')
  database.close()
  return world
}
