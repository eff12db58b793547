import { expect, test } from 'vitest'
import type { AnswerNotes } from '../../base/agent/answer.ts'
import { nothingPaused, pausedAfter, recovered, withPaused } from '../turn/verdict.ts'

const said = (text: string, notes: Partial<AnswerNotes> = {}) => ({
  text,
  notes: { toolAfter: false, longerBefore: 0, hookReasons: [], everything: text, ...notes },
})

test.each([
  ['goes on', said('one '), said('two'), 'one two', null],
  ['goes on and uses a tool', said('one '), said('three', { everything: 'two\n\nthree' }), 'three', 'one two\n\nthree'],
  ['had used a tool', said('why', { toolAfter: true }), said('done'), 'done', 'whydone'],
  [
    'had spoken before a tool',
    said('one ', { everything: 'I look.\n\none ' }),
    said('two'),
    'one two',
    'I look.\n\none two',
  ],
])('a reply that the API paused and that then %s', (_, paused, last, answer, partial) => {
  const verdict = withPaused(pausedAfter(nothingPaused, paused), recovered(last.text, last.notes))
  expect(verdict).toMatchObject({ answer, partial })
})

test('what was longer before the tool is named', () => {
  const long = 'The whole reason, in many words. '
  const last = said('Done.', { everything: 'So I do it.\n\nDone.' })
  const { detail } = withPaused(pausedAfter(nothingPaused, said(long)), recovered(last.text, last.notes))
  expect(detail).toContain(`something longer (${long.length} characters)`)
})
