import { expect, test } from 'vitest'
import { localTime, momentText } from './moment.ts'

test('a moment is told as it is where the person is, and how long ago', () => {
  const now = new Date(2026, 10, 22, 14, 3, 59).getTime()
  expect(localTime(now)).toBe('2026-11-22 14:03:59')
  expect(momentText(now, now + 999)).toBe('2026-11-22 14:03:59 (now)')
  expect(momentText(now, now + 3 * 60_000)).toBe('2026-11-22 14:03:59 (3 minutes ago)')
  expect(momentText(now, now - 86_400_000)).toBe('2026-11-22 14:03:59 (in 1 day)')
})
