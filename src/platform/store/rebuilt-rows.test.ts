import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { makeTables } from './database.ts'
import { RebuiltRows } from './rebuilt-rows.ts'

test('a salvaged conversation keeps the cost of its compactions, and gets that of turns that are newer than its sum', () => {
  using database = new DatabaseSync(':memory:')
  makeTables(database)
  const rows = new RebuiltRows(database)
  const at = { createdAt: 1, lastUsedAt: 2, messageCount: 1, lastAnswered: undefined }
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0.5 }
  const end = { outcome: 'completed', reason: null, detail: null, answer: 'yes', usage, at: 2 } as const
  for (const [sessionId, sum] of [
    ['compacted', 2],
    ['older', 0],
  ] as const) {
    const session = rows.session({ from: sessionId, to: 'backend', thread: 'main', sessionId, ...at })
    rows.turn(session, { id: `turn of ${sessionId}`, message: 'hello', at: 1, partial: null, end })
    database.prepare('UPDATE team_sessions SET cost_usd = ? WHERE id = ?').run(sum, session)
  }
  rows.sumCosts()
  expect(database.prepare('SELECT session_id AS id, cost_usd AS cost FROM team_sessions ORDER BY id').all()).toEqual([
    { id: 'compacted', cost: 2 },
    { id: 'older', cost: 0.5 },
  ])
})
