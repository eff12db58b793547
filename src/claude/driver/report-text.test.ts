import { expect, test } from 'vitest'
import type { Line } from '../../base/agent/line.ts'
import type { EndedUnsolicitedTurn } from '../../base/agent/unsolicited-turn.ts'
import { reportText } from './report-text.ts'
import { toResult } from './result.ts'

const said = (text: string): Line => ({ type: 'assistant', message: { model: 'opus', id: text, content: text } })
const uses: Line = {
  type: 'assistant',
  message: { model: 'opus', id: 'use', content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }] },
}
const returned = (id: string): Line => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id }] },
})
const result = (more: object = {}) =>
  toResult({ type: 'result', subtype: 'success', num_turns: 1, stop_reason: 'end_turn', result: '', ...more })
const nothingSaid = (why = '') => `[The background command ended; its agent said nothing about it${why}.]`

test.each<[string, Partial<EndedUnsolicitedTurn>, string]>([
  [
    'a whole report is its last words',
    { lines: [said('one'), uses, returned('t1'), said('two')], result: result() },
    'two',
  ],
  ['what was said before a message joined', { lines: [said('one'), uses, returned('t1')] }, 'one'],
  ['a message joined before the first word', { lines: [uses, returned('t1')] }, nothingSaid()],
  ['no word', { lines: [uses, returned('t1')], result: result() }, nothingSaid()],
  ['an empty turn about what ended with the process before', { lines: [], result: result({ num_turns: 0 }) }, ''],
  [
    'a tool that a hook had put off, and no word',
    { lines: [returned('t0')], result: result() },
    '[The tool that a hook postponed has run; its agent said nothing about it.]',
  ],
  [
    'cut off in the middle of a word',
    { lines: [said('one '), uses], unfinished: 'tw', isCut: true },
    'one \n\ntw\n\n[This report is incomplete: its process ended before that.]',
  ],
  ['cut off before the first word', { lines: [], isCut: true }, nothingSaid(': its process ended before that')],
  [
    'refused',
    {
      lines: [said('half ')],
      result: result({ is_error: true, stop_reason: 'refusal', result: 'API Error: declined' }),
    },
    'half\n\n[This report is incomplete: the model declined to continue.]',
  ],
  [
    'paused',
    { lines: [said('RE')], result: result({ stop_reason: 'pause_turn' }) },
    'RE\n\n[This report is incomplete: the API paused it.]',
  ],
  [
    'a failing API',
    { lines: [], result: result({ is_error: true, api_error_status: 529, result: 'API Error: busy.' }) },
    nothingSaid(': the API failed (API Error: busy)'),
  ],
  [
    'interrupted',
    {
      lines: [said('half')],
      result: result({ is_error: true, subtype: 'error_during_execution', terminal_reason: 'aborted_tools' }),
    },
    'half\n\n[This report is incomplete: it was interrupted.]',
  ],
])('%s', (_, turn, text) => {
  expect(reportText({ toolUseId: 't0', lines: [], result: undefined, ...turn })).toBe(text)
})
