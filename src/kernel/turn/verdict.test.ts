import { expect, test } from 'vitest'
import { noSigns } from '../../claude/driver/ending-signs.ts'
import { toResult } from '../../claude/driver/result.ts'
import { ended, recovered, stopped, verdict } from './verdict.ts'

/** A result line as the CLI prints it. A refused request has the subtype `success` with `is_error`. */
function result(fields: Record<string, unknown> = {}) {
  return toResult({ type: 'result', subtype: 'success', is_error: false, result: 'forty-two', ...fields })
}

test('an answer completes the turn', () => {
  expect(verdict(result(), noSigns, 'forty')).toMatchObject({
    outcome: 'completed',
    reason: null,
    answer: 'forty-two',
    partial: null,
    usage: { inputTokens: 0 },
  })
})

test('an empty answer is one', () => {
  expect(verdict(result({ result: '' }), noSigns, '')).toMatchObject({ outcome: 'completed', answer: '' })
})

test('an answer without servers of the project says which, and why', () => {
  const missingServers = [
    { name: 'shop', needsLogin: false },
    { name: 'git', needsLogin: true },
    { name: 'mail', needsLogin: false },
  ]
  expect(verdict(result(), { ...noSigns, missingServers }, '').detail).toBe(
    'The agent answered without MCP servers that did not start: shop, mail. The agent answered without MCP servers that need a login: git.',
  )
})

test.each([
  ['api_auth', { api_error_status: 401 }, null],
  ['api_auth', { api_error_status: 403 }, null],
  ['api_rate_limited', { api_error_status: 429 }, null],
  ['api_overloaded', { api_error_status: 529 }, null],
  ['api_overloaded', { api_error_status: null, terminal_reason: 'api_error' }, 529],
  ['api_error', { api_error_status: 500 }, 529],
  ['api_error', { terminal_reason: 'api_error' }, null],
  ['turn_error', { subtype: 'error_max_turns' }, null],
])('%s: never an answer, however it calls itself', (reason, fields, retriedStatus) => {
  const end = verdict(
    result({ is_error: true, result: 'API Error', ...fields }),
    { ...noSigns, retriedStatus },
    'so far',
  )
  expect(end).toMatchObject({ outcome: 'failed', reason, answer: null, partial: 'so far' })
  expect(end.detail).toMatch(/^API Error/)
})

test('without words of its own an error is named by its subtype, or by what it lists', () => {
  expect(
    verdict(result({ is_error: true, result: undefined, subtype: 'error_during_execution' }), noSigns, '').detail,
  ).toBe('error_during_execution')
  expect(verdict(result({ is_error: true, result: undefined, errors: ['no', 'way'] }), noSigns, '').detail).toBe(
    'no\nway',
  )
})

test('an end without an answer keeps the text so far, and no text is none', () => {
  expect(ended('timed_out', 'hung', 'why', 'so far')).toEqual({
    outcome: 'timed_out',
    reason: 'hung',
    detail: 'why',
    answer: null,
    partial: 'so far',
    background: null,
    usage: null,
  })
  expect(ended('failed', 'internal', 'why', '').partial).toBeNull()
})

test('an answer found in the transcript has no price', () => {
  expect(recovered('forty-two')).toMatchObject({ outcome: 'completed', answer: 'forty-two', usage: null })
})

test('a turn that Iris leaves because it stops needs nobody who cancelled it', () => {
  const { signal } = new AbortController()
  const left = stopped({ cancelled: signal, partialText: 'so far' })
  expect(left).toMatchObject({ outcome: 'failed', reason: 'interrupted', partial: 'so far' })
})
