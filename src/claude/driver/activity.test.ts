import { expect, test } from 'vitest'
import type { Line } from '../../base/agent/line.ts'
import { Activity } from './activity.ts'
import { BackgroundTasks } from './background-tasks.ts'
import { RunningHooks } from './ending-signs.ts'

const init: Line = { type: 'system', subtype: 'init' }
const tasks = (...ids: string[]): Line => ({
  type: 'system',
  subtype: 'background_tasks_changed',
  tasks: ids.map((id) => ({ task_id: id })),
})
const result: Line = { type: 'result' }
const unsolicited: Line = { type: 'result', origin: { kind: 'task' } }

function after(...lines: Line[]): Activity {
  const activity = new Activity(new BackgroundTasks(() => 0), new RunningHooks())
  for (const line of [tasks('t'), ...lines]) activity.take(line)
  return activity
}

test('while a task runs the next turn may be of the CLI’s own', () => {
  expect(after().nextTurnIsAsked).toBe(false)
})

test('news that no turn has taken in make a turn of the CLI’s own', () => {
  expect(after(init, tasks(), result).nextTurnIsAsked).toBe(false)
})

test('a turn that began just after the news leaves it open whether it took them in, the next one does not', () => {
  const activity = after(tasks(), init, result)
  expect(activity.mayBeginTurn).toBe(false)
  expect(activity.nextTurnIsAsked).toBe(false)
  activity.take(init)
  activity.take(result)
  expect(activity.nextTurnIsAsked).toBe(true)
})

test('after the CLI’s own turn for the news the next turn is that of the next message', () => {
  expect(after(tasks(), init, unsolicited).nextTurnIsAsked).toBe(true)
})
