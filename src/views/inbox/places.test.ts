import { expect, test } from 'vitest'
import type { Marked } from '../../features/inbox/state.ts'
import type { Found } from './found.ts'
import { countNeeds, groupsOf, inOrder, isIn, needIn } from './places.ts'

const found = (sessionId: string, kind: Found['kind'], at: number, more: Partial<Found> = {}): Found => ({
  subject: `${kind}:${sessionId}-${at}`,
  kind,
  sessionId,
  at,
  ...more,
})
const of = (all: readonly Found[], marks: Record<string, Marked> = {}, pinned: string[] = []) =>
  groupsOf(all, new Map(Object.entries(marks)), new Set(pinned), 1000)

test('what needs somebody is counted once a conversation, by what matters most, and not while it is put off', () => {
  const all = [
    found('a', 'answer', 1),
    found('a', 'question', 2),
    found('a', 'failed', 3),
    found('b', 'expired', 4),
    found('c', 'failed', 5),
    found('d', 'answer', 6),
    found('e', 'openElsewhere', 7),
  ]
  const later = { state: 'later', since: 0, until: 2000 } as const
  expect(countNeeds(of(all))).toEqual({ waiting: 1, failed: 1, openElsewhere: 1, expired: 1 })
  expect(countNeeds(of(all, { 'failed:c-5': later }))).toEqual({ waiting: 1, failed: 0, openElsewhere: 1, expired: 1 })
  expect(of(all)[0]!.items.map(({ kind }) => kind)).toEqual(['question', 'failed', 'answer'])
})

test('the list begins with what needs somebody; what is pinned is on top of its part, and what woke on top of that', () => {
  const all = [
    found('old', 'failed', 1),
    found('new', 'failed', 9),
    found('said', 'answer', 99),
    found('kept', 'answer', 2),
  ]
  const ids = (marks: Record<string, Marked> = {}) =>
    inOrder(of(all, marks, ['kept'])).map(({ sessionId }) => sessionId)
  expect(ids()).toEqual(['new', 'old', 'kept', 'said'])
  expect(ids({ 'failed:old-1': { state: 'later', since: 2, until: 500 } })).toEqual(['old', 'new', 'kept', 'said'])
})

test('what ran out is in its own place too until it is done, and done rows are only there', () => {
  const marked = { state: 'done', since: 5, until: null } as const
  const [open] = of([found('a', 'expired', 1)])
  const [done] = of([found('a', 'expired', 1, { marked })])
  expect([isIn('inbox', open!), isIn('expired', open!), isIn('done', open!)]).toEqual([true, true, false])
  expect([isIn('inbox', done!), isIn('expired', done!), isIn('done', done!)]).toEqual([false, false, true])
  expect(needIn(done!)).toBeUndefined()
})
