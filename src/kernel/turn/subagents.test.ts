import { describe, expect, test } from 'vitest'
import { Subagents } from './subagents.ts'

const system = (subtype: string, fields: object) => ({ type: 'system', subtype, task_id: 'a1', ...fields })
const started = (more: object = {}) =>
  system('task_started', { task_type: 'local_agent', description: 'look', ...more })
const progress = (description: string, usage?: object) => system('task_progress', { description, usage })
const one = { tool_uses: 1, total_tokens: 900 }
const ended = system('task_updated', { patch: { status: 'completed' } })

function after(...lines: ReturnType<typeof system>[]) {
  const subagents = new Subagents()
  for (const [at, line] of lines.entries()) subagents.take(line, at + 1)
  return subagents.all
}

describe('a subagent', () => {
  test('works from its start on, and says what it does now and what it has used', () => {
    expect(after(started())).toEqual([{ description: 'look', state: 'working', tools: 0, tokens: 0, since: 1 }])
    expect(after(started(), progress('Reading a', { tool_uses: 1 }), progress('Reading b', one))).toEqual([
      { description: 'look', state: 'working', doing: 'Reading b', tools: 1, tokens: 900, since: 1 },
    ])
  })

  test.each([
    ['its state', ended],
    ['the news of it', system('task_notification', { usage: one })],
  ])('has ended when %s says so, does nothing then, and keeps its figures', (_, end) => {
    expect(after(started(), progress('Reading', one), end)).toEqual([
      { description: 'look', state: 'ended', tools: 1, tokens: 900, since: 1 },
    ])
  })

  test('goes on when only its state has moved', () => {
    const moved = system('task_updated', { patch: { is_backgrounded: true } })
    const running = system('task_updated', { patch: { status: 'running' } })
    const pending = system('task_updated', { patch: { status: 'pending' } })
    expect(after(started(), moved, running, pending)).toMatchObject([{ state: 'working' }])
  })

  test('is one of its kind: a workflow is, a command and what never began are not', () => {
    expect(after(started({ task_type: 'local_workflow' }))).toHaveLength(1)
    expect(after(started({ task_type: 'local_bash' }), progress('tick'))).toEqual([])
    expect(after(progress('Reading', one), ended)).toEqual([])
  })

  test('has figures only where the line has numbers', () => {
    const odd = { tool_uses: -1, total_tokens: 'many' }
    expect(after(started(), progress('Reading', odd))).toMatchObject([{ tools: 0, tokens: 0 }])
  })
})

test('subagents stand in the order in which they began, a hundred at the most', () => {
  const many = Array.from({ length: 120 }, (_, index) => started({ task_id: `a${index}`, description: `${index}` }))
  const all = after(...many)
  expect(all).toHaveLength(100)
  expect(all.slice(0, 3).map(({ description }) => description)).toEqual(['0', '1', '2'])
})
