import { expect, test } from 'vitest'
import { laterChoices } from './later.ts'

const kinds = (now: number, deadline?: number) => laterChoices(now, deadline).map(({ kind }) => kind)
/** A Wednesday. */
const at = (hours: number, minutes = 0) => new Date(2026, 10, 25, hours, minutes).getTime()

test('what is past is not offered, and next week is a Monday morning', () => {
  expect(kinds(at(10))).toEqual(['hour', 'evening', 'tomorrow', 'week'])
  expect(kinds(at(19))).toEqual(['hour', 'tomorrow', 'week'])
  const [, , tomorrow, week] = laterChoices(at(10), undefined)
  expect(new Date(tomorrow!.until)).toEqual(new Date(2026, 10, 26, 9))
  expect(new Date(week!.until)).toEqual(new Date(2026, 10, 30, 9))
})

test('a question is put off at most until five minutes before it is denied', () => {
  const deadline = at(10, 30)
  expect(laterChoices(at(10), deadline)).toEqual([{ kind: 'deadline', until: at(10, 25) }])
  expect(kinds(at(10), at(12))).toEqual(['hour', 'deadline'])
  expect(kinds(at(10), at(10, 5))).toEqual([])
})
