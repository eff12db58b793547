import { expect, test } from 'vitest'
import { beforeDeadlineMs, placeOf, putOffUntil, refusedMark, settlesAfterMs, stateAt } from './state.ts'
import { readSubject, subjectOf } from './subject.ts'

const day = 86_400_000

test('what was put off comes back as new at its time, also when nobody looked then', () => {
  const later = { state: 'later', since: 10, until: 100 } as const
  expect(stateAt('failed', later, 99)).toEqual(later)
  expect(stateAt('failed', later, 100)).toEqual({ state: 'new', since: 100, until: null })
  expect(stateAt('answer', later, 5 * day)).toEqual({ state: 'new', since: 100, until: null })
})

test('an answer that was opened is done after a day; what needs somebody is not', () => {
  const opened = { state: 'opened', since: 0, until: null } as const
  expect(stateAt('answer', opened, settlesAfterMs - 1)).toEqual(opened)
  expect(stateAt('answer', opened, settlesAfterMs)).toMatchObject({ state: 'done' })
  for (const kind of ['failed', 'expired'] as const) expect(stateAt(kind, opened, 9 * day)).toEqual(opened)
})

test('something new brings back what was done; of what was put off, only what needs somebody does', () => {
  const done = { kind: 'failed', state: 'done' } as const
  const later = { kind: 'answer', state: 'later' } as const
  expect(placeOf([done])).toBe('done')
  expect(placeOf([done, { kind: 'answer', state: 'new' }])).toBe('inbox')
  expect(placeOf([later])).toBe('later')
  expect(placeOf([later, { kind: 'answer', state: 'new' }])).toBe('later')
  for (const kind of ['question', 'failed', 'expired'] as const)
    expect(placeOf([later, { kind, state: 'new' }])).toBe('inbox')
  expect(placeOf([later, { kind: 'failed', state: 'done' }])).toBe('later')
})

test('a question is put off at most until five minutes before it is denied, and is never done', () => {
  expect(putOffUntil(500, 100, undefined)).toBe(500)
  expect(putOffUntil(day, 0, 10 * 60_000)).toBe(10 * 60_000 - beforeDeadlineMs)
  expect(putOffUntil(day, 0, beforeDeadlineMs)).toBeUndefined()
  expect(putOffUntil(100, 100, undefined)).toBeUndefined()
  expect(refusedMark('question', 'done')).toMatch(/allow it or deny it/)
  expect(refusedMark('question', 'later')).toBeUndefined()
  for (const kind of ['answer', 'failed', 'expired'] as const) expect(refusedMark(kind, 'done')).toBeUndefined()
})

test('a subject names its kind and its id, whatever the id contains', () => {
  expect(readSubject(subjectOf('openElsewhere', 'a:b'))).toEqual({ kind: 'openElsewhere', id: 'a:b' })
  expect(readSubject('conversation:x')).toEqual({ kind: 'conversation', id: 'x' })
  for (const wrong of ['', 'answer', 'answer:', 'nothing:x']) expect(readSubject(wrong)).toBeUndefined()
})
