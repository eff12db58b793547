import { describe, expect, test } from 'vitest'
import type { Line } from '../../base/agent/line.ts'
import { joinedAnswers, Speech } from './answer.ts'

let lines = 0
type Block = Record<string, unknown>
const text = (words: string): Block => ({ type: 'text', text: words })
const thinking: Block = { type: 'thinking', thinking: 'hm' }
const uses = (name = 'Bash'): Block => ({ type: 'tool_use', id: 't', name, input: {} })
const said = (id: string, block: Block, more: object = {}): Line => {
  lines += 1
  return { type: 'assistant', uuid: `line-${lines}`, message: { id, model: 'claude', content: [block] }, ...more }
}
const stops = (reason: string): Line => ({
  type: 'stream_event',
  event: { type: 'message_delta', delta: { stop_reason: reason } },
})
const tells = (words: string): Line => ({ type: 'user', isSynthetic: true, message: { role: 'user', content: words } })
const returned: Line = { type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't' }] } }
const resumed = tells('Output token limit hit. Resume directly — no apology.')
const feedback = tells('Stop hook feedback:\n[lint]: run the linter\n')

function speechOf(...taken: readonly Line[]): Speech {
  const speech = new Speech()
  for (const line of taken) speech.take(line)
  return speech
}
const answerOf = (...taken: readonly Line[]): string => speechOf(...taken).answer.text

describe('the answer', () => {
  const cut = said('m1', text('Part one '))
  test.each<[string, Line[], string]>([
    ['nothing was said', [], ''],
    ['adjacent blocks', [said('m1', text('A one. ')), said('m1', text('B two.'))], 'A one. B two.'],
    ['a thought behind it', [said('m1', text('A')), said('m1', thinking)], 'A'],
    ['a thought between', [said('m1', text('A')), said('m1', thinking), said('m1', text('B'))], 'A\n\nB'],
    ['narration before a tool', [said('m1', text('Let me check.')), said('m1', uses()), said('m2', text('42'))], '42'],
    [
      'a text of the message whose tool returned first',
      [said('m1', uses()), returned, said('m1', text('behind the tool')), said('m2', text('42'))],
      '42',
    ],
    ['no word after the tool', [said('m1', text('42')), said('m2', uses()), said('m3', thinking)], '42'],
    [
      'the list of the agent',
      [said('m1', text('42')), said('m2', uses('TaskUpdate')), said('m3', text('Listed.'))],
      '42\n\nListed.',
    ],
    [
      'a typed value',
      [said('m1', text('42')), said('m1', uses('mcp__iris__return_value')), said('m2', text('ok'))],
      '42\n\nok',
    ],
    ['a cut with its text', [cut, stops('max_tokens'), resumed, said('m2', text('part two.'))], 'Part one part two.'],
    [
      'a cut without one, as in 2.1.197',
      [cut, stops('max_tokens'), said('m2', text('part two.'))],
      'Part one part two.',
    ],
    ['a fence after a cut', [cut, stops('max_tokens'), said('m2', text('```ts'))], 'Part one \n```ts'],
    ['a row of a table after a cut', [cut, stops('max_tokens'), said('m2', text('| a |'))], 'Part one \n| a |'],
    [
      'a stream that broke',
      [
        said('m1', text('PART-A.')),
        tells('Your response above was cut off mid-stream. Resume directly'),
        said('m2', text(' rest')),
      ],
      'PART-A. rest',
    ],
    [
      'a whole answer that was asked for again',
      [
        said('m1', text('Long ans')),
        tells('Your response above was cut off mid-stream and only your next message is delivered. Write'),
        said('m2', text('Short answer')),
      ],
      'Short answer',
    ],
    [
      'a message not streamed',
      [
        said('m1', text('a'), { message: { id: 'm1', content: [text('a')], stop_reason: 'max_tokens' } }),
        said('m2', text('b')),
      ],
      'ab',
    ],
    ['two messages of one segment', [said('m1', text('A')), tells('Goal check-in'), said('m2', text('B'))], 'A\n\nB'],
    ['a subagent', [said('m1', text('of a subagent'), { parent_tool_use_id: 't' }), said('m2', text('42'))], '42'],
    [
      'an error of the API',
      [
        said('m1', text('42')),
        said('x', text('API Error'), { isApiErrorMessage: true }),
        said('y', text('No response'), { message: { model: '<synthetic>', content: [text('No')] } }),
      ],
      '42',
    ],
    [
      'a hook that sent the agent on',
      [said('m1', text('ANSWER 42')), feedback, said('m2', text('Clean.'))],
      'ANSWER 42\n\nClean.',
    ],
    [
      'a hook that made it use a tool',
      [
        said('m1', text('ANSWER 42')),
        feedback,
        said('m2', text('I lint.')),
        said('m2', uses()),
        said('m3', text('Clean.')),
      ],
      'ANSWER 42\n\nClean.',
    ],
    [
      'a hook after which it says the same',
      [said('m1', text('42')), feedback, said('m2', text('42')), feedback, said('m3', text('42'))],
      '42',
    ],
    [
      'a hook after which it says the same behind a tool',
      [said('m1', text('42')), feedback, said('m2', uses()), said('m3', text('42'))],
      '42',
    ],
  ])('with %s', (_, taken, expected) => {
    expect(answerOf(...taken)).toBe(expected)
  })

  test('leaves out what a later line took back', () => {
    const [refused, kept] = [said('m1', text('refused')), said('m2', text('kept'))]
    const notice: Line = {
      type: 'system',
      subtype: 'model_refusal_fallback',
      retracted_message_uuids: [refused['uuid']],
    }
    expect(answerOf(refused, notice, kept)).toBe('kept')
    expect(answerOf(refused, { ...kept, supersedes: [refused['uuid']] })).toBe('kept')
  })
})

describe('beside the answer', () => {
  test('nothing is known of one without tools', () => {
    expect(speechOf(said('m1', text('42'))).answer.notes).toBeUndefined()
  })

  test('a tool that came after it is', () => {
    const { notes } = speechOf(said('m1', text('42')), said('m1', uses())).answer
    expect(notes).toMatchObject({ toolAfter: true, longerBefore: 0 })
  })

  test('a longer text before it is, with all that was said', () => {
    const why = 'THE ANSWER IS 42, and here is why'
    const { text: answer, notes } = speechOf(
      said('m1', text(why)),
      said('m1', uses()),
      said('m2', text('Committed.')),
    ).answer
    expect(answer).toBe('Committed.')
    expect(notes).toEqual({
      toolAfter: false,
      longerBefore: why.length,
      hookReasons: [],
      everything: `${why}\n\nCommitted.`,
    })
  })

  test('how often a hook blocked is', () => {
    const { notes } = speechOf(
      said('m1', text('A')),
      feedback,
      said('m2', text('B')),
      feedback,
      said('m3', text('C')),
    ).answer
    expect(notes).toMatchObject({ hookReasons: ['run the linter', 'run the linter'], longerBefore: 0 })
  })
})

test('several results make one answer, and what is known beside them is joined', () => {
  const first = speechOf(said('m1', text('started')), feedback, said('m2', text('really'))).answer
  const second = speechOf(
    said('m3', text('The tests passed after a long time.')),
    said('m3', uses()),
    said('m4', text('ok')),
  ).answer
  const joined = joinedAnswers([first, { text: ' ', notes: undefined }, second])
  expect(joined.text).toBe('started\n\nreally\n\nok')
  expect(joined.notes).toMatchObject({ hookReasons: ['run the linter'], toolAfter: false, longerBefore: 35 })
  expect(joined.notes?.everything).toContain('The tests passed')
})

describe('the text so far', () => {
  const begins: Line = { type: 'stream_event', event: { type: 'message_start' } }

  test('has a blank line between messages and none in one', () => {
    const speech = speechOf(begins, said('m1', text('A ')))
    expect(speech.everythingWith('half')).toBe('A half')
    speech.take(begins)
    expect(speech.everythingWith('half')).toBe('A \n\nhalf')
    speech.take(stops('max_tokens'))
    expect(speech.everythingWith('half')).toBe('A half')
    expect(speech.everythingWith('')).toBe('A ')
  })
})
