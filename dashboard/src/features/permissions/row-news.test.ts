import { expect, test } from 'vitest'
import { rowNews } from './news.ts'

const row = (item: object, tier = 'needs') =>
  ({
    tier,
    session: { from: 'docs', to: 'mobile', sessionId: 's', lastTurn: { settledAt: 5 } },
    items: [item],
  }) as never
const asked = new Map([['q', 1]])
const tags = (item: object, tier?: string) => rowNews(row(item, tier), asked).map(({ tag }) => tag)

test('what ran out, and what was put off and is due, is told; the first time is known by its own event', () => {
  const question = { kind: 'question', subject: 'question:q', permissionId: 'q', toolName: 'Bash', state: 'new' }
  expect(tags({ ...question, at: 1 })).toEqual(['q'])
  expect(tags({ ...question, at: 9 })).toEqual(['question:q 9'])
  const failed = { kind: 'failed', subject: 'failed:t', turnId: 't', state: 'new' }
  expect(tags({ ...failed, at: 5 })).toEqual(['t'])
  expect(tags({ ...failed, at: 9 })).toEqual(['failed:t 9'])
  expect(tags({ kind: 'expired', subject: 'expired:q', state: 'new', at: 2 })).toEqual(['expired:q 2'])
  // An answer needs nobody, nor does what was opened.
  expect(tags({ kind: 'answer', subject: 'answer:t', state: 'new', at: 2 }, 'news')).toEqual([])
  expect(tags({ ...failed, at: 9, state: 'opened' })).toEqual([])
})
