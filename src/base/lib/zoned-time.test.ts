import { expect, test } from 'vitest'
import { isZone, momentOf, wallTimeOf } from './zoned-time.ts'

const wall = (year: number, month: number, day: number, hour: number, minute = 0) => ({
  year,
  month,
  day,
  hour,
  minute,
})
const utc = (text: string) => Date.parse(text)

test.each([
  ['Europe/Berlin', wall(2026, 1, 15, 9), '2026-01-15T08:00Z'],
  ['Europe/Berlin', wall(2026, 7, 15, 9), '2026-07-15T07:00Z'],
  // This time does not occur: clocks go from 2:00 to 3:00.
  ['Europe/Berlin', wall(2026, 3, 29, 2, 30), '2026-03-29T01:30Z'],
  ['Europe/Berlin', wall(2026, 3, 29, 3), '2026-03-29T01:00Z'],
  // This time occurs twice.
  ['Europe/Berlin', wall(2026, 10, 25, 2, 30), '2026-10-25T00:30Z'],
  ['America/New_York', wall(2026, 11, 1, 1, 30), '2026-11-01T05:30Z'],
  ['America/New_York', wall(2026, 11, 1, 3), '2026-11-01T08:00Z'],
  // Half an hour of daylight saving; offsets that are not whole hours; across midnight.
  ['Australia/Lord_Howe', wall(2026, 10, 4, 2, 15), '2026-10-03T15:45Z'],
  ['Asia/Kathmandu', wall(2026, 1, 1, 0, 15), '2025-12-31T18:30Z'],
  ['Pacific/Kiritimati', wall(2026, 1, 1, 9), '2025-12-31T19:00Z'],
  ['UTC', wall(2024, 2, 29, 23, 59), '2024-02-29T23:59Z'],
])('%s: %o is %s', (zone, time, moment) => {
  expect(new Date(momentOf(time, zone)).toISOString()).toBe(new Date(utc(moment)).toISOString())
})

test('every hour of a year is the moment that shows it, but for the hour that occurs twice', () => {
  for (const zone of ['Europe/Berlin', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'America/New_York']) {
    let later = 0
    for (let at = utc('2026-01-01T00:00Z'); at < utc('2027-01-01T00:00Z'); at += 3_600_000) {
      const found = momentOf(wallTimeOf(at, zone), zone)
      if (found !== at) later += 1
      expect(at - found === 0 || at - found === 3_600_000 || at - found === 1_800_000).toBe(true)
    }
    expect(later).toBeLessThanOrEqual(1)
  }
})

test('a zone is known or not', () => {
  expect(isZone('Europe/Berlin')).toBe(true)
  expect(isZone('Berlin')).toBe(false)
})
