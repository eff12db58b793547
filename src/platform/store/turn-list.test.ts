import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { makeTables } from './database.ts'
import { TurnList } from './turn-list.ts'

const any = { root: false, team: undefined, from: undefined, status: 'all', before: undefined } as const

test('a page of what is rare looks at 2000 turns at most, and says from where to look on; what is open is found at once', () => {
  using database = new DatabaseSync(':memory:')
  makeTables(database)
  database.exec(`
    INSERT INTO team_sessions (id, from_team, to_team, session_id, created_at, last_used_at)
      VALUES (1, 'busy', 'busier', 's1', 1, 1), (2, 'rare', 'busy', 's2', 1, 1);
    WITH RECURSIVE place (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM place WHERE value < 2100)
    INSERT INTO turns (id, session, message, hop, awaited, state, outcome, accepted_at)
      SELECT 't' || value, iif(value = 1, 2, 1), 'm', 1, 1, iif(value = 1, 'accepted', 'settled'), iif(value = 1, NULL, 'completed'), value
      FROM place`)
  const list = new TurnList(database)
  const newest = list.page(any, 2)
  expect(newest.turns.map(({ id }) => id)).toEqual(['t2100', 't2099'])
  expect(newest.lookedTo).toBe(2099)

  const rare = list.page({ ...any, team: 'rare' }, 2)
  expect(rare).toEqual({ turns: [], lookedTo: 101 })
  const further = list.page({ ...any, team: 'rare', before: rare.lookedTo }, 2)
  expect(further).toMatchObject({ turns: [{ id: 't1', from: 'rare' }] })
  expect(further.lookedTo).toBeUndefined()
  expect(list.page({ ...any, status: 'open' }, 2)).toMatchObject({ turns: [{ id: 't1' }] })
})
