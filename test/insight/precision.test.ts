import { expect, test } from 'vitest'
import { findPatterns } from '../../src/features/insight/patterns.ts'
import { scoresOf } from './precision.ts'
import { makeWeeks } from './weeks.ts'

/** The thresholds were chosen with seeds 1 to 20; these were not looked at. */
const judged = Array.from({ length: 10 }, (_, index) => 101 + index)

test('nine of ten reported patterns are planted ones, and nine of ten planted ones are reported', () => {
  for (const [kind, { reported, right, planted, found }] of Object.entries(scoresOf(judged))) {
    expect({ kind, precise: right / reported >= 0.9, complete: found / planted >= 0.9, reported }).toMatchObject({
      kind,
      precise: true,
      complete: true,
    })
    expect(planted).toBeGreaterThanOrEqual(judged.length)
  }
})

test('the same recording gives the same patterns, whatever was read before', () => {
  const { asks, tools, questions } = makeWeeks(7)
  const recording = { asks: () => asks, tools: () => tools, questions: () => questions }
  const first = findPatterns(recording, { offsetMinutes: 0 })
  findPatterns({ ...recording, asks: () => makeWeeks(8).asks }, { offsetMinutes: 0 })
  expect(findPatterns(recording, { offsetMinutes: 0 })).toEqual(first)
  expect(first.repeated.length).toBeGreaterThan(0)
})
