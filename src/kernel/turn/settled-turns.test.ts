import { expect, test } from 'vitest'
import { SettledTurns } from './settled-turns.ts'

function settle(limits: { turns: number; bytes: number }, sizes: readonly number[]) {
  const forgotten: string[] = []
  const discarded: string[] = []
  const settled = new SettledTurns((id) => forgotten.push(id), limits)
  for (const [place, keptBytes] of sizes.entries()) {
    const id = `t${place}`
    settled.add({ id, keptBytes }, () => discarded.push(id))
  }
  expect(discarded).toEqual(forgotten)
  return forgotten
}

test('memory keeps the lines of so many settled turns, the oldest go first', () => {
  expect(settle({ turns: 2, bytes: 1000 }, [1, 1, 1, 1])).toEqual(['t0', 't1'])
})

test('fewer are kept when their lines are long', () => {
  expect(settle({ turns: 100, bytes: 1000 }, [400, 400, 400, 100])).toEqual(['t0'])
  expect(settle({ turns: 100, bytes: 1000 }, [10, 10, 985])).toEqual(['t0'])
})

test('the last one stays, however long its lines are', () => {
  expect(settle({ turns: 100, bytes: 1000 }, [10, 5000])).toEqual(['t0'])
  expect(settle({ turns: 100, bytes: 1000 }, [5000, 10])).toEqual(['t0'])
})
