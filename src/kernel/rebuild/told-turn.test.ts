import { expect, test } from 'vitest'
import type { Line } from '../../base/agent/line.ts'
import { continueText, wrapMessage } from '../../claude/driver/envelope.ts'
import { turnsOfConversation, turnsOfTranscript } from './reconstructed-turn.ts'

const turnOf = () => undefined
const toolUseId = 't1'
const taskNews = `<task-notification>\n<tool-use-id>${toolUseId}</tool-use-id>\n<status>completed</status>`

const asked = (uuid: string): Line => ({
  type: 'user',
  isReplay: true,
  uuid,
  timestamp: '2026-01-01T00:00:00Z',
  message: { content: wrapMessage({ from: 'frontend', to: 'backend', thread: 'main' }, uuid) },
})
const says = (text: string): Line => ({ type: 'assistant', message: { content: [{ type: 'text', text }] } })
const result = (text: string, more: object = {}): Line => ({ type: 'result', result: text, duration_ms: 10, ...more })
const reports = (text: string): Line => result(text, { origin: { kind: 'task-notification' } })
const init: Line = { type: 'system', subtype: 'init' }
const uses: Line = { type: 'assistant', message: { content: [{ type: 'tool_use', id: toolUseId, name: 'Workflow' }] } }
const launched: Line = { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: toolUseId }] } }
const started: Line = {
  type: 'system',
  subtype: 'task_started',
  task_id: 'w1',
  tool_use_id: toolUseId,
  task_type: 'local_workflow',
}
const ended: Line = { type: 'system', subtype: 'task_updated', task_id: 'w1', patch: { status: 'completed' } }
const listed = (...ids: string[]): Line => ({
  type: 'system',
  subtype: 'background_tasks_changed',
  tasks: ids.map((task_id) => ({ task_id, task_type: 'local_workflow' })),
})

/** The lines before the first result of a turn, and those before its report, as each version prints them. */
const builds: readonly [string, readonly Line[], readonly Line[]][] = [
  ['2.1.330', [init, asked('one'), uses, listed('w1'), started, launched], [ended, listed(), init]],
  [
    '2.1.197',
    [init, asked('one'), uses, started, launched],
    [ended, { type: 'system', subtype: 'task_notification', task_id: 'w1' }, init],
  ],
]

async function ends(lines: readonly Line[]) {
  const turns = await turnsOfConversation(each(lines), turnOf)
  return [...turns.values()].map(({ id, end }) => [id, end?.outcome, end?.answer, end && end.at - begin])
}

async function* each(lines: readonly Line[]): AsyncGenerator<Line> {
  yield* lines
}

const begin = Date.parse('2026-01-01T00:00:00Z')
const interim = [says('under way'), result('under way')]
const report = [says('found'), reports('found')]

test.each(builds)(
  '%s: the answer is told with the report of what ran in the background',
  async (_, toResult, toReport) => {
    const next = [init, asked('two'), says('yes'), result('yes')]
    expect(await ends([...toResult, ...interim, ...toReport, ...report, ...next])).toEqual([
      ['one', 'completed', 'under way\n\nfound', 20],
      ['two', 'completed', 'yes', 10],
    ])
  },
)

test.each(builds)('%s: without that report there is no end, whatever came after it', async (_, toResult) => {
  expect(await ends([...toResult, ...interim])).toEqual([['one', undefined, undefined, undefined]])
  expect(await ends([...toResult, ...interim, init, asked('two'), result('yes')])).toEqual([
    ['one', undefined, undefined, undefined],
    ['two', 'completed', 'yes', 10],
  ])
})

test('a failure ends a turn whatever it had started; news between two steps do not', async () => {
  const [, toResult] = builds[0]!
  expect(await ends([...toResult, result('refused', { is_error: true })])).toEqual([['one', 'failed', null, 10]])
  const news: Line = { type: 'user', isReplay: true, uuid: 'news', message: { content: taskNews } }
  expect(await ends([init, asked('one'), news, says('yes'), result('yes')])).toEqual([['one', 'completed', 'yes', 10]])
})

test('a turn that the CLI began by itself, before an answer or after it, is nobody’s', async () => {
  const own = [init, says('of the command'), reports('of the command')]
  expect(await ends([asked('one'), ...own, says('yes'), result('yes'), ...own])).toEqual([
    ['one', 'completed', 'yes', 10],
  ])
})

test('in the transcript of Claude Code an answer is whole with its reports too', () => {
  const texts = (...lines: Line[]) => lines.map((line) => JSON.stringify(line))
  const last = (text: string): Line => ({
    type: 'assistant',
    message: { id: text, stop_reason: 'end_turn', content: [{ type: 'text', text }] },
  })
  const message = { ...asked('one'), isReplay: undefined }
  const launch = { ...launched, toolUseResult: { taskId: 'b1', timeoutMs: 60_000 } }
  const half = texts(message, uses, launch, last('under way'))
  const whole = [...half, ...texts({ type: 'user', message: { content: taskNews } }, last('found'))]
  const endOf = (lines: readonly string[]) => turnsOfTranscript(lines, turnOf).get('one')?.end
  expect(endOf(half)).toBeUndefined()
  expect(endOf(whole)).toMatchObject({ outcome: 'completed', answer: 'under way\n\nfound' })
})

test('both halves of a reply that the API paused are its answer, in the output and in the transcript', async () => {
  const pair = { from: 'frontend', to: 'backend', thread: 'main' }
  const more = { ...asked('two'), message: { content: continueText(pair, 'one', null, true) } }
  const paused = result('One half, ', { stop_reason: 'pause_turn', num_turns: 1 })
  const lines = [init, asked('one'), says('One half, '), paused, init, more, says('the other.'), result('the other.')]
  expect(await ends(lines)).toEqual([['one', 'completed', 'One half, the other.', 10]])
  const kept = (line: Line): string => JSON.stringify({ ...line, isReplay: undefined })
  const said = (id: string, stop_reason: string, text: string): string =>
    JSON.stringify({ type: 'assistant', message: { id, stop_reason, content: [{ type: 'text', text }] } })
  const halves = [said('m1', 'pause_turn', 'One half, '), said('m2', 'end_turn', 'the other.')] as const
  const turns = turnsOfTranscript([kept(asked('one')), halves[0], kept(more), halves[1]], turnOf)
  expect(turns.get('one')?.end).toMatchObject({ outcome: 'completed', answer: 'One half, the other.' })
})
