import { expect, test } from 'vitest'
import type { Line } from '../../base/agent/line.ts'
import { Attribution } from './attribution.ts'

const init: Line = { type: 'system', subtype: 'init' }
const text: Line = { type: 'assistant', message: { model: 'opus', content: 'text' } }
const synthetic: Line = { type: 'assistant', message: { model: '<synthetic>', content: 'text' } }
const partial: Line = { type: 'stream_event' }
const retry: Line = { type: 'system', subtype: 'api_retry' }
const attachment: Line = { type: 'attachment' }
const toolEnd = (id: string): Line => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id }] },
})
const echo = (uuid: string): Line => ({ type: 'user', isReplay: true, uuid, timestamp: '2026-11-23T01:22:43.708Z' })
const news = (toolUseId: string, run?: string): Line => ({
  type: 'system',
  subtype: 'task_notification',
  tool_use_id: toolUseId,
  ...(run !== undefined && { run_id: run }),
})
/** A result of a build that does not name messages (2.1.197). */
const result: Line = { type: 'result', num_turns: 1 }
const ownResult: Line = { ...result, origin: { kind: 'task-notification' } }
/** A result of a build that names messages (2.1.330). */
const named = (...uuids: string[]): Line => ({
  type: 'result',
  num_turns: 1,
  result_index: 0,
  ...(uuids.length > 0 && { user_message_uuids: uuids }),
})
const wokenBy = (run: string, line: Line): Line => ({
  ...line,
  origin: { kind: 'task-notification', runId: run },
})

/**
 * The outcome of each line: the number of lines of the delivery, an R if the last of them is its result, and `own` with
 * the number of lines and the cause of an unsolicited turn.
 */
function meanings(attribution: Attribution, ...lines: Line[]): string[] {
  return lines.map((line) => {
    const { lines: ours, result: end, unsolicited: own, isKnown } = attribution.take(line)
    const parts = [
      ...(isKnown ? ['known'] : []),
      ...(own ? [`own ${own.lines.length}${own.result ? 'R' : ''} ${own.toolUseId ?? ''}`.trim()] : []),
      ...(ours.length > 0 ? [`${ours.length}${end ? 'R' : ''}`] : []),
    ]
    return parts.join(', ') || '-'
  })
}

function expecting(uuid: string, { alone = true, tools = [] as string[], isCommand = false } = {}): Attribution {
  const attribution = new Attribution((toolUseId) => tools.includes(toolUseId))
  attribution.expect(uuid, alone, isCommand)
  return attribution
}

test('an ordinary turn: a build that names no messages claims it at once in a process that was alone, else by the echo', () => {
  const lines = [init, echo('u1'), text, result]
  expect(meanings(expecting('u1'), ...lines)).toEqual(['1', '1', '1', '1R'])
  expect(meanings(expecting('u1', { alone: false }), ...lines)).toEqual(['-', '2', '1', '1R'])
  const named330 = [{ ...init, user_message_uuids: ['u1'] }, echo('u1'), text, named('u1')]
  for (const alone of [true, false])
    expect(meanings(expecting('u1', { alone }), ...named330)).toEqual(['1', '1', '1', '1R'])
})

test('a turn of the CLI’s own before the message is nobody’s answer, whatever came first', () => {
  const own = [news('t0'), init, text, ownResult]
  const before = ['-', '-', '-', 'own 4R t0']
  const lines = [...own, init, echo('u1'), text, result]
  expect(meanings(expecting('u1'), ...lines)).toEqual([...before, '1', '1', '1', '1R'])
  expect(meanings(expecting('u1', { alone: false }), ...lines)).toEqual([...before, '-', '2', '1', '1R'])
  expect(
    meanings(
      expecting('u1'),
      news('t0', 'r0'),
      init,
      text,
      wokenBy('r0', named()),
      init,
      echo('u1'),
      text,
      named('u1'),
    ),
  ).toEqual([...before, '1', '1', '1', '1R'])
})

test('a message that joins a turn of the CLI’s own gets its result, and the text after its echo', () => {
  const lines = [news('t0', 'r0'), init, text, toolEnd('t1'), echo('u1'), text]
  const joined = ['-', '-', '-', '-', 'own 4 t0, 1', '1', '1R']
  expect(meanings(expecting('u1', { alone: false }), ...lines, ownResult)).toEqual(joined)
  expect(meanings(expecting('u1', { alone: false }), ...lines, wokenBy('r0', named('u1')))).toEqual(joined)
})

test('a task that ends after the last words of a turn wakes the next one', () => {
  const told: Line = { type: 'user', message: { content: '<task-notification>\n<tool-use-id>t0</tool-use-id>' } }
  const first = [init, echo('u1'), text, news('t0', 'r0')]
  const woken = (...lines: Line[]): Attribution => {
    const attribution = expecting('u1')
    meanings(attribution, ...lines)
    attribution.expect('u2', false)
    meanings(attribution, init, text)
    return attribution
  }
  const attribution = woken(...first, named('u1'))
  expect(attribution.unsolicited).toEqual({ toolUseId: 't0' })
  expect(meanings(attribution, echo('u2'), text, wokenBy('r0', named('u2')))).toEqual(['own 2 t0, 1', '1', '1R'])
  expect(meanings(attribution, init, text)).toEqual(['-', '-'])
  expect(attribution.unsolicited).toEqual({ toolUseId: undefined })
  // If a message is already waiting, its turn comes first.
  expect(woken(news('t0', 'r0'), init, echo('u1'), text, named('u1')).unsolicited).toEqual({ toolUseId: 't0' })
  const withTool = [news('t0', 'r0'), init, echo('u1'), text, toolEnd('t9'), text, named('u1')]
  expect(woken(...withTool).unsolicited).toEqual({ toolUseId: undefined })
  // The turn was interrupted before the model got the report.
  const cutOff = [news('t0', 'r0'), init, echo('u1'), text, toolEnd('t9'), named('u1')]
  expect(woken(...cutOff).unsolicited).toEqual({ toolUseId: 't0' })
  // The agent learned of the end before it answered.
  expect(woken(...first, told, text, named('u1')).unsolicited).toEqual({ toolUseId: undefined })
})

test('a deferred tool that runs after a resume is nobody’s answer, and names its tool use', () => {
  const lines = [attachment, toolEnd('t0'), init, text]
  expect(meanings(expecting('u1'), ...lines, result, init, echo('u1'), text, result)).toEqual([
    '-',
    '-',
    '-',
    '-',
    'own 5R t0',
    '1',
    '1',
    '1',
    '1R',
  ])
  expect(meanings(expecting('u1'), ...lines, named(), init, echo('u1'), text, named('u1'))).toEqual([
    '-',
    '-',
    '-',
    '-',
    'own 5R t0',
    '1',
    '1',
    '1',
    '1R',
  ])
})

test('the first message after a deferred tool has no echo on a build that names no messages', () => {
  const attribution = new Attribution(() => false)
  expect(meanings(attribution, attachment, toolEnd('t0'), init, text, result)).toEqual([
    '-',
    '-',
    '-',
    '-',
    'own 5R t0',
  ])
  attribution.expect('u1', true)
  expect(meanings(attribution, init, text, result)).toEqual(['1', '1', '1R'])
})

test('a prompt that a hook blocks, and a slash command, have a result without an echo', () => {
  const blocked = { ...result, num_turns: 0 }
  expect(meanings(expecting('u1'), init, { type: 'system' }, blocked)).toEqual(['1', '1', '1R'])
  expect(meanings(expecting('u1', { isCommand: true }), init, synthetic, blocked)).toEqual(['1', '1', '1R'])
  expect(meanings(expecting('u1'), init, { ...named('u1'), num_turns: 0 })).toEqual(['1', '1R'])
  expect(meanings(expecting('u1', { alone: false }), init, blocked)).toEqual(['-', '2R'])
})

test('an empty turn of the CLI’s own, as after a resume, answers nobody', () => {
  const empty = { ...ownResult, num_turns: 0, result: '' }
  const lines = [init, empty, init, echo('u1'), text, result]
  expect(meanings(expecting('u1'), ...lines)).toEqual(['1', 'own 1R', '1', '1', '1', '1R'])
  expect(meanings(expecting('u1', { alone: false }), ...lines)).toEqual(['-', 'own 2R', '-', '2', '1', '1R'])
})

test('a build that names its messages leaves a result without a name to nobody', () => {
  expect(meanings(expecting('u1'), init, { ...named(), num_turns: 0 })).toEqual(['1', 'own 1R'])
  expect(meanings(expecting('u1'), init, echo('u1'), text, named('u0'))).toEqual(['1', '1', '1', 'own 1R'])
})

test('the result of an earlier turn answers no later message', () => {
  expect(meanings(expecting('u1'), result, init, echo('u1'), text, result)).toEqual(['own 1R', '1', '1', '1', '1R'])
  const attribution = expecting('u1')
  meanings(attribution, init, echo('u1'), text, result)
  attribution.forget()
  expect(meanings(attribution, result, init, text, result)).toEqual(['own 1R', '-', '-', 'own 3R'])
})

test('the echo of another message claims nothing', () => {
  expect(meanings(expecting('u2', { alone: false }), init, echo('u1'), named('u1'))).toEqual(['-', '-', 'own 3R'])
})

test('a message that joined the delivery counts as the delivery', () => {
  const attribution = expecting('u1')
  meanings(attribution, init, echo('u1'), text)
  attribution.join('u2')
  expect(meanings(attribution, named('u1'))).toEqual(['1R'])
  attribution.awaitReports()
  expect(meanings(attribution, init, echo('u2'), text, named('u2'))).toEqual(['1', '1', '1', '1R'])
})

test('the reports of its background tasks belong to the delivery; those of earlier tasks do not', () => {
  const attribution = expecting('u1', { tools: ['t1'] })
  meanings(attribution, init, echo('u1'), text, named('u1'))
  attribution.awaitReports()
  expect(meanings(attribution, news('t1', 'r1'), init, text, wokenBy('r1', named()))).toEqual(['1', '1', '1', '1R'])
  expect(meanings(attribution, news('t0', 'r0'), init, text, wokenBy('r0', named()))).toEqual([
    '1',
    '-',
    '-',
    'own 3R t0',
  ])
  expect(meanings(attribution, init, text, wokenBy('r1', named()))).toEqual(['-', '-', '3R'])
})

test('a result with an origin is nobody’s where the process was alone, too, unless its turn named the message', () => {
  expect(meanings(expecting('u1'), init, text, ownResult)).toEqual(['1', '1', 'own 1R'])
  expect(meanings(expecting('u1'), init, echo('u1'), text, ownResult)).toEqual(['1', '1', '1', '1R'])
})

test('a retry of the API is told at once, before anything says whose it is; not when nobody waits', () => {
  const attribution = expecting('u1', { alone: false })
  expect(meanings(attribution, init, retry, echo('u1'), named('u1'))).toEqual(['-', '1', '2', '1R'])
  attribution.forget()
  expect(meanings(attribution, retry)).toEqual(['-'])
})

test('a message that was taken back claims nothing any more', () => {
  const attribution = expecting('u1')
  attribution.forget()
  expect(meanings(attribution, init, echo('u1'), named('u1'))).toEqual(['-', '-', 'own 3R'])
})

test('of what nobody claims the last thousand lines are kept, without partial ones', () => {
  const attribution = new Attribution(() => false)
  for (let line = 0; line < 5000; line++) {
    attribution.take(partial)
    attribution.take(line === 0 ? synthetic : text)
  }
  const { unsolicited } = attribution.take(result)
  expect(unsolicited!.lines.length).toBe(1001)
  expect(new Set(unsolicited!.lines)).toEqual(new Set([text, result]))
})

test('an echo without a time, before any turn, says that the message was known; what comes then is nobody’s', () => {
  const { timestamp: _, ...known } = echo('u1')
  expect(meanings(expecting('u1'), known as Line, init, result)).toEqual(['known', '-', 'own 2R'])
  expect(meanings(expecting('u1'), init, known as Line, result)).toEqual(['1', '1', '1R'])
  expect(meanings(expecting('u1', { isCommand: true }), known as Line, { ...result, num_turns: 0 })).toEqual([
    '1',
    '1R',
  ])
})

test('a tool belongs to the delivery from its echo on, and before that if nothing else can have begun', () => {
  const attribution = new Attribution(() => false)
  const causes = (...lines: Line[]) =>
    lines.map((line) => {
      attribution.take(line)
      const { unsolicited } = attribution
      return unsolicited && (unsolicited.toolUseId ?? 'unknown')
    })
  expect(causes(news('t0'), init, text)).toEqual(['t0', 't0', 't0'])
  attribution.expect('u1', false)
  expect(causes(toolEnd('t1'), echo('u1'))).toEqual(['t0', undefined])
  attribution.take(ownResult)
  attribution.forget()
  attribution.expect('u2', true)
  expect(causes(attachment, init, text)).toEqual(['unknown', undefined, undefined])
  attribution.take(named('u2'))
  attribution.forget()
  attribution.expect('u3', true)
  expect(causes(toolEnd('t3'), init)).toEqual(['t3', 't3'])
})

test('what is left when the process ends: the turn that was open, and ends that no turn has reported', () => {
  const left = (...lines: Line[]) => {
    const attribution = new Attribution(() => false)
    meanings(attribution, ...lines)
    return attribution.left().map(({ toolUseId, lines: own, unfinished }) => [toolUseId, own.length, unfinished])
  }
  const writing: Line = {
    type: 'stream_event',
    event: { type: 'content_block_delta', delta: { type: 'text_delta', text: 'half' } },
  }
  const stopped: Line = { ...news('t2', 'r2'), status: 'stopped' }
  for (const run of ['r0', undefined]) {
    expect(left(news('t0', run), init, writing)).toEqual([['t0', 2, 'half']])
    expect(left(news('t0', run), init, writing, text)).toEqual([['t0', 3, '']])
    // The turn had not begun.
    expect(left(news('t0', run))).toEqual([['t0', 1, '']])
    // The second task ended with the process.
    expect(left(news('t0', run), init, stopped)).toEqual([['t0', 3, '']])
    expect(left(stopped)).toEqual([])
  }
  expect(left(news('t0', 'r0'), init, news('t1', 'r1'))).toEqual([
    ['t0', 3, ''],
    ['t1', 0, undefined],
  ])
  // The agent learned of the second end before its last words.
  expect(left(news('t0', 'r0'), init, news('t1', 'r1'), toolEnd('t9'), text)).toEqual([['t0', 5, '']])
  // A command that the turn itself ran in the foreground.
  const uses: Line = { type: 'assistant', message: { model: 'opus', content: [{ type: 'tool_use', id: 't9' }] } }
  expect(left(news('t0', 'r0'), init, uses, news('t9', 'r9'))).toEqual([['t0', 4, '']])
  expect(left(news('t0', 'r0'), init, text, wokenBy('r0', named()))).toEqual([])
  expect(left(init, text)).toEqual([])
})

test('nothing is left of a turn that is the message’s', () => {
  const attribution = expecting('u1')
  meanings(attribution, init, echo('u1'), text)
  expect(attribution.left()).toEqual([])
  const waiting = expecting('u1', { alone: false })
  meanings(waiting, news('t0'), init, text)
  expect(waiting.left()).toMatchObject([{ toolUseId: 't0' }])
})
