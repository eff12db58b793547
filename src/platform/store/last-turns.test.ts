import { expect, test } from 'vitest'
import { newStore } from '../../../test/support/new-store.ts'
import { LastTurns } from './last-turns.ts'

test('the conversations whose newest turn failed are found, the latest first, however many failures each has', () => {
  const store = newStore()
  const last = new LastTurns(store)
  const session = store.prepare(
    `INSERT INTO team_sessions (id, from_team, to_team, thread, session_id, created_at, last_used_at, status)
     VALUES (?, 'a', 'b', ?, ?, 0, 0, ?)`,
  )
  const turn = store.prepare(
    `INSERT INTO turns (id, session, message, hop, awaited, state, outcome, accepted_at) VALUES (?, ?, '', 0, 0, 'settled', ?, 0)`,
  )
  expect(last.failed(10)).toEqual([])
  const add = (id: number, outcomes: readonly string[], status = 'active') => {
    session.run(id, `t${id}`, `s${id}`, status)
    for (const [at, outcome] of outcomes.entries()) turn.run(`${id}-${at}`, id, outcome)
  }
  add(1, ['failed', 'failed', 'in_doubt'])
  add(2, ['failed', 'completed'])
  add(3, ['completed'])
  add(4, ['timed_out'], 'archived')
  add(5, ['completed', 'timed_out'])
  add(6, ['failed'])
  last.dismiss('6-0', 1)
  expect(last.failed(10)).toEqual(['s5', 's1'])
  expect(last.failed(1)).toEqual(['s5'])
})
