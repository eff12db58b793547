import fc from 'fast-check'
import { expect, test } from 'vitest'
import { getDate } from '../contract/date.ts'
import { date } from './date.ts'

test('every part is that of UTC', () => {
  expect(date(Date.UTC(2024, 1, 29, 23, 59, 58, 7))).toEqual({
    timestamp: 1_709_251_198_007,
    iso: '2024-02-29T23:59:58.007Z',
    utc: 'Thu, 29 Feb 2024 23:59:58 GMT',
    unix: 1_709_251_198,
    components: {
      year: 2024,
      month: 2,
      day: 29,
      hours: 23,
      minutes: 59,
      seconds: 58,
      milliseconds: 7,
      dayOfWeek: 4,
      dayOfYear: 60,
    },
  })
})

test.each([
  ['2023-01-01T00:00:00.000Z', 1],
  ['2023-12-31T23:59:59.999Z', 365],
  ['2024-12-31T00:00:00.000Z', 366],
  ['2023-03-01T00:00:00.000Z', 60],
])('%s is day %d of its year', (iso, dayOfYear) => {
  expect(date(Date.parse(iso)).components.dayOfYear).toBe(dayOfYear)
})

test('the parts of any moment make that moment again, as the contract says', () => {
  const moments = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(moments, (moment) => {
      const { components: at, iso, unix } = getDate.output.parse(date(moment.getTime()))
      const again = Date.UTC(at.year, at.month - 1, at.day, at.hours, at.minutes, at.seconds, at.milliseconds)
      expect(again).toBe(moment.getTime())
      expect(Date.UTC(at.year, 0, at.dayOfYear)).toBe(Date.UTC(at.year, at.month - 1, at.day))
      expect(Date.parse(iso)).toBe(moment.getTime())
      expect(Math.floor(moment.getTime() / 1000)).toBe(unix)
    }),
  )
})
