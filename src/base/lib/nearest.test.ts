import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

const commands = ['status', 'sessions', 'start', 'stats', 'fork', 'teams']

test.each([
  ['stauts', 'status'],
  ['frok', 'fork'],
  ['Sesions', 'sessions'],
  ['satrt', 'start'],
  // "start" is equally near, but has other letters.
  ['stast', 'stats'],
  ['tema', undefined],
  ['nonsense', undefined],
  ['x'.repeat(200), undefined],
])('%s is meant as %s', (word, meant) => {
  expect(nearest(word, commands)).toBe(meant)
})

test('of words as near and with other letters, the first is meant', () => {
  expect(nearest('cat', ['bat', 'car'])).toBe('bat')
  expect(nearest('cat', ['car', 'bat'])).toBe('car')
})
