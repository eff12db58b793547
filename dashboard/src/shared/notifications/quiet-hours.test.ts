import { expect, test } from 'vitest'
import { isQuiet, timeNow } from './quiet-hours.ts'

const night = { from: '22:00', to: '07:30' }
const noon = { from: '12:00', to: '13:00' }

test.each([
  ['22:00', night, true],
  ['03:00', night, true],
  ['07:29', night, true],
  ['07:30', night, false],
  ['21:59', night, false],
  ['12:00', noon, true],
  ['13:00', noon, false],
  ['03:00', { from: '', to: '' }, false],
  ['03:00', { from: '22:00', to: '' }, false],
  ['03:00', { from: '03:00', to: '03:00' }, false],
] as const)('at %s notifications are silent only in the chosen hours, also over midnight', (now, hours, quiet) => {
  expect(isQuiet(hours, now)).toBe(quiet)
})

test('the time of day has two digits each', () => expect(timeNow(new Date(2026, 0, 2, 3, 4))).toBe('03:04'))
