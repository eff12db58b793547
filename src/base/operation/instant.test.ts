import { expect, test } from 'vitest'
import { instantIn } from '../lib/instant.ts'
import { Instant } from './instant.ts'

test.each([
  ['2026-11-22T10:00Z', Date.UTC(2026, 10, 22, 10)],
  ['2026-11-22T10:00:30.5+02:00', Date.UTC(2026, 10, 22, 8, 0, 30, 500)],
  ['2026-11-22T10:00:30+0200', Date.UTC(2026, 10, 22, 8, 0, 30)],
  ['2026-11-22T10:00', new Date(2026, 10, 22, 10).getTime()],
  ['2026-11-22', new Date(2026, 10, 22).getTime()],
  ['2028-02-29', new Date(2028, 1, 29).getTime()],
])('%s is a moment', (text, ms) => {
  expect(instantIn(text)).toBe(ms)
  expect(Instant.parse(text)).toBe(ms)
})

test('a number is one too, in milliseconds', () => {
  expect(Instant.parse(1_700_000_000_000)).toBe(1_700_000_000_000)
})

const wrongTexts = ['2026-02-30', '2026-13-01T10:00Z', '2026-11-22T25:00Z', '2026-11-22 10:00', 'Nov 22 2026', '1d', '']

test.each<string | number>([...wrongTexts, -1, Number.NaN])('%j is none', (text) => {
  expect(Instant.safeParse(text).success).toBe(false)
})
