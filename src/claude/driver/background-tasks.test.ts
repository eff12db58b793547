import { describe, expect, test } from 'vitest'
import { BackgroundTasks } from './background-tasks.ts'

const system = (subtype: string, fields: object) => ({ type: 'system', subtype, ...fields })
const started = (task_id: string, task_type: string, tool_use_id: string) =>
  system('task_started', { task_id, task_type, tool_use_id })
const progress = (task_id: string, ...agents: string[]) =>
  system('task_progress', { task_id, workflow_progress: agents.map((agentId) => ({ agentId })) })
const ended = (task_id: string) => system('task_updated', { task_id, patch: { status: 'completed' } })

function tasksAfter(...lines: ReturnType<typeof system>[]): BackgroundTasks {
  const tasks = new BackgroundTasks(() => 0)
  for (const line of lines) tasks.take(line)
  return tasks
}

const agentType = 'workflow-subagent'

describe('what an agent does belongs to', () => {
  test('the tool use that started it', () => {
    const tasks = tasksAfter(started('a1', 'local_agent', 't1'))
    expect(tasks.toolUseOf('a1', 'general-purpose')).toBe('t1')
    expect(tasks.toolUseOf('a2', 'general-purpose')).toBeUndefined()
  })

  test('the workflow that names it, whichever of several that is', () => {
    const tasks = tasksAfter(
      ...[started('w1', 'local_workflow', 't1'), started('w2', 'local_workflow', 't2')],
      ...[progress('w2', 'a2'), progress('w1', 'a1')],
    )
    expect(tasks.toolUseOf('a1', agentType)).toBe('t1')
    expect(tasks.toolUseOf('a2', 'Explore')).toBe('t2')
    expect(tasks.toolUseOf('a3', agentType)).toBeUndefined()
  })

  test('the only workflow there is, as long as that has not named it', () => {
    const workflow = started('w1', 'local_workflow', 't1')
    expect(tasksAfter(workflow).toolUseOf('a1', agentType)).toBe('t1')
    expect(tasksAfter(workflow).toolUseOf('a1', 'general-purpose')).toBeUndefined()
  })

  test('nothing any more when its workflow has ended', () => {
    const tasks = tasksAfter(started('w1', 'local_workflow', 't1'), progress('w1', 'a1'), ended('w1'))
    expect(tasks.toolUseOf('a1', agentType)).toBeUndefined()
  })
})
