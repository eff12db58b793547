import { expect, test } from 'vitest'
import { RowSet } from './row-set.ts'

test('it holds what was put into it, however large, and nothing beside it', () => {
  const set = new RowSet()
  const ids = [1, 7, 8, 8191, 8192, 100_000, 2_000_003]
  for (const id of ids) set.add(id)
  for (const id of ids) {
    expect(set.has(id)).toBe(true)
    expect([set.has(id - 1), set.has(id + 1)]).toEqual([ids.includes(id - 1), ids.includes(id + 1)])
  }
})
