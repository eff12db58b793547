import { expect, test } from 'vitest'
import { durationIn, secondsText, withoutUnit } from './duration.ts'

test.each([
  ['30s', 30_000],
  ['5m', 300_000],
  ['1.5h', 5_400_000],
  ['2d', 172_800_000],
  ['250ms', 250],
  ['250', 250],
  ['-1', -1],
  ['5 minutes', Number.NaN],
  ['', Number.NaN],
])('"%s" is %d ms', (text, ms) => {
  expect(durationIn(text)).toBe(ms)
})

test('a short duration is shown in milliseconds, a longer one in seconds', () => {
  expect([0, 40, 999, 1000, 61_250].map(secondsText)).toEqual(['0 ms', '40 ms', '999 ms', '1.0 s', '61.3 s'])
})

test('only a text with a unit loses it', () => {
  expect(['30s', '30', 30, 'soon', null].map(withoutUnit)).toEqual([30_000, '30', 30, 'soon', null])
})
