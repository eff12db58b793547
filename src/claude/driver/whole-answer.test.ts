import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { Line } from '../../base/agent/line.ts'
import { BackgroundTasks } from './background-tasks.ts'
import { toResult } from './result.ts'
import { WholeAnswer } from './whole-answer.ts'

const system = (subtype: string, more: object = {}): Line => ({ type: 'system', subtype, ...more })
const init = system('init')
const idle = system('session_state_changed', { state: 'idle' })
const running = system('session_state_changed', { state: 'running' })
const says = (text: string): Line => ({ type: 'result', result: text })
const uses = (id: string, name: string): Line => ({
  type: 'assistant',
  message: { content: [{ type: 'tool_use', id, name, input: { command: 'make' } }] },
})
const gives = (id: string): Line => ({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: id }] } })
const starts = (id: string, type = 'local_agent'): Line =>
  system('task_started', { task_id: id, tool_use_id: `use-${id}`, task_type: type, description: id })
const lists = (...ids: string[]): Line =>
  system('background_tasks_changed', { tasks: ids.map((id) => ({ task_id: id, task_type: 'local_agent' })) })
const ends = (id: string, status = 'completed'): Line => system('task_updated', { task_id: id, patch: { status } })
const notifies = (id: string): Line => system('task_notification', { task_id: id })

/** A conversation whose `hear` takes lines and returns all whole answers so far. */
function conversation() {
  const clock = new FakeClock()
  const given: string[] = []
  const tasks = new BackgroundTasks(() => 0)
  const notes: unknown[] = []
  const answer = new WholeAnswer(tasks, clock, (result, isCut) => {
    given.push(isCut ? 'cut' : result.text)
    notes.push(result.notes)
  })
  answer.begin()
  const hear = (...lines: Line[]): string[] => {
    for (const line of lines) {
      tasks.take(line)
      if (line.type === 'result') answer.takeResult(toResult(line))
      answer.take(line)
    }
    return given
  }
  return { clock, answer, hear, notes, tasks }
}

test('a turn that started nothing ends with its own result', () => {
  expect(conversation().hear(running, init, says('done'))).toEqual(['done'])
})

test('newer builds: the end of the tasks is not yet the end, the rest after the report is; an empty result says nothing', () => {
  const { hear } = conversation()
  expect(hear(running, init, uses('use-a', 'Agent'), lists('a'), starts('a'), gives('use-a'), says('begun'))).toEqual(
    [],
  )
  expect(hear(ends('a'), notifies('a'), lists(), init, says(''), init, says('found'))).toEqual([])
  expect(hear(idle)).toEqual(['begun\n\nfound'])
})

test('what comes to rest while it is being interrupted is no whole answer', () => {
  const { answer, hear } = conversation()
  hear(running, init, uses('use-a', 'Agent'), starts('a'), gives('use-a'), says('begun'), idle)
  answer.beginCut()
  expect(hear(ends('a', 'killed'), notifies('a'), idle)).toEqual(['cut'])
})

test('older builds: an agent that is announced only after the result of its tool is waited for', () => {
  const { hear } = conversation()
  expect(hear(running, init, uses('use-a', 'Agent'), gives('use-a'), starts('a'), says('begun'), idle)).toEqual([])
  expect(hear(ends('a'), running, notifies('a'), init, says('found'), idle)).toEqual(['begun\n\nfound'])
})

test('older builds: rest while an agent works, or between its end and its report, ends nothing', () => {
  const { hear } = conversation()
  expect(hear(running, init, uses('use-a', 'Agent'), starts('a'), gives('use-a'), says('begun'), idle)).toEqual([])
  expect(hear(ends('a'), idle, running, notifies('a'), init, says('found'))).toEqual([])
  expect(hear(idle)).toEqual(['begun\n\nfound'])
})

test('builds that do not tell their state: the result of the turn that reports is the end', () => {
  const { hear } = conversation()
  expect(hear(init, uses('use-a', 'Agent'), starts('a'), gives('use-a'), says('begun'), ends('a'))).toEqual([])
  expect(hear(notifies('a'), init, says('found'))).toEqual(['begun\n\nfound'])
})

test('an agent in the foreground holds nothing, and neither does a command in the background', () => {
  const inFront = conversation()
  expect(
    inFront.hear(init, uses('use-a', 'Agent'), starts('a'), ends('a'), notifies('a'), gives('use-a'), says('x')),
  ).toEqual(['x'])
  const { hear, tasks } = conversation()
  expect(hear(init, uses('use-b', 'Bash'), starts('b', 'local_bash'), gives('use-b'), says('y'))).toEqual(['y'])
  expect(tasks.inBackground).toMatchObject([{ command: 'make', toolUseId: 'use-b' }])
})

test('a Monitor, which calls itself a command, holds it even at rest', () => {
  const { hear } = conversation()
  const begun = [uses('use-m', 'Monitor'), lists('m'), starts('m', 'local_bash'), gives('use-m')]
  expect(hear(running, init, ...begun, says('watching'), idle, running, init, says('tick'), idle)).toEqual([])
  expect(hear(ends('m'), notifies('m'), lists(), running, init, says('over'), idle)).toEqual([
    'watching\n\ntick\n\nover',
  ])
})

test('an end that nobody reports is waited for only a moment', async () => {
  const { clock, hear } = conversation()
  expect(
    hear(running, init, uses('use-a', 'Agent'), starts('a'), gives('use-a'), ends('a'), says('begun'), idle),
  ).toEqual([])
  await clock.advance(5000)
  expect(hear()).toEqual(['begun'])
})

test.each([
  ['newer', [lists()]],
  ['older', []],
])('%s builds: so is the end of what worked or watched while the session was at rest', async (_, told) => {
  const { clock, hear } = conversation()
  const begun = [uses('use-m', 'Monitor'), ...(told.length > 0 ? [lists('m')] : []), starts('m', 'local_bash')]
  expect(hear(running, init, ...begun, gives('use-m'), says('begun'), idle)).toEqual([])
  expect(hear(ends('m', 'killed'), notifies('m'), ...told)).toEqual([])
  await clock.advance(5000)
  expect(hear()).toEqual(['begun'])
})

test('interrupted while it waits it ends without a result, once nothing is open; a failed turn waits for nothing', () => {
  const { answer, hear } = conversation()
  const begun = [running, init, uses('use-a', 'Agent'), lists('a'), starts('a'), gives('use-a')]
  hear(...begun, says('begun'))
  answer.cut()
  expect(hear()).toEqual([])
  expect(hear(ends('a', 'killed'), notifies('a'), lists())).toEqual(['cut'])
  const failed = conversation()
  expect(failed.hear(...begun, { type: 'result', is_error: true, result: 'overloaded' })).toEqual(['overloaded'])
})

const stopped = system('informational', { prevent_continuation: true })
const lifecycle = (uuid: string, state: string): Line => ({ type: 'command_lifecycle', command_uuid: uuid, state })
const blocked: Line = { type: 'result', result: 'blocked by hook', num_turns: 0 }

test.each<[string, readonly Line[]]>([
  [
    'a turn of its own',
    [running, says('done'), lifecycle('j', 'started'), init, stopped, blocked, lifecycle('j', 'completed')],
  ],
  ['the same on an older build', [running, says('done'), init, stopped, blocked]],
  ['the turn that it joined', [running, lifecycle('j', 'started'), lifecycle('j', 'completed'), stopped, says('done')]],
])('a message that joined, and that a hook stopped in %s, is waited for no longer, and noted', (_, lines) => {
  const { answer, hear, notes } = conversation()
  answer.steered('j')
  expect(hear(...lines, idle)).toEqual(['done'])
  expect(notes.at(-1)).toMatchObject({ joinsStopped: 1 })
  expect(answer.owesSteers).toBe(false)
})
