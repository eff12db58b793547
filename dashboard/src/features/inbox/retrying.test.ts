import { expect, test } from 'vitest'
import { type Retrying, type Row, saysTheEnd, withRetrying } from './retrying.ts'

const row = (sessionId: string, turnId: string, kind = 'failed') =>
  ({ session: { sessionId }, items: [{ kind, turnId }] }) as unknown as Row
const ids = (rows: readonly Row[]) => rows.map(({ session }) => session.sessionId)
const retrying: Retrying = { turnId: 'second', row: row('b', 'first'), place: 1 }

test('a message that is sent once more stays where it was until it has ended', () => {
  const gone = [row('a', 'x'), row('c', 'y')]
  expect(ids(withRetrying(gone, [retrying]))).toEqual(['a', 'b', 'c'])
  expect(saysTheEnd(gone, retrying)).toBe(false)
  expect(ids(withRetrying([], [retrying]))).toEqual(['b'])
  // Not taken out yet: it is there once.
  const before = [row('a', 'x'), row('b', 'first'), row('c', 'y')]
  expect(ids(withRetrying(before, [retrying]))).toEqual(['a', 'b', 'c'])
  expect(saysTheEnd(before, retrying)).toBe(false)
})

test('its end is there when the row names the new turn: it failed again, or was answered', () => {
  expect(saysTheEnd([row('b', 'second')], retrying)).toBe(true)
  expect(saysTheEnd([row('b', 'second', 'answer')], retrying)).toBe(true)
})
