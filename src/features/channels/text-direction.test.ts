import { expect, test } from 'vitest'
import { openDirections } from './text-direction.ts'

test('a line with too many directions open at a time is read no further', () => {
  const closed = '\u2069'.repeat(7)
  expect(openDirections(`${'\u2066'.repeat(6)}${closed}\u202b`)).toBe('\u202b')
  expect(openDirections(`${'\u2066'.repeat(7)}${closed}\u202b`)).toBe('')
  expect(openDirections('\u2066'.repeat(80_000))).toBe('')
})
