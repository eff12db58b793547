import { describe, expect, test } from 'vitest'
import type { Line } from '../../base/agent/line.ts'
import { isTaskNews, ReportsDue } from './reports-due.ts'

const came = (toolUse: string, outcome?: unknown, more: object = {}): Line => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: toolUse, ...more }] },
  toolUseResult: outcome,
})
const news = (text: string): Line => ({ type: 'user', message: { content: `<task-notification>\n${text}` } })
const ended = (toolUse: string) => news(`<tool-use-id>${toolUse}</tool-use-id><status>completed</status>`)

describe('a report is due', () => {
  test.each([
    ['an agent in the background', { isAsync: true, status: 'async_launched', agentId: 'a1' }],
    ['a workflow', { status: 'async_launched', taskId: 'w1', taskType: 'local_workflow' }],
    ['a Monitor', { taskId: 'b1', timeoutMs: 60_000, persistent: false }],
  ])('from the launch of %s to the news of its end', (_, launch) => {
    const reports = new ReportsDue([])
    expect(reports.any).toBe(false)
    reports.takeResults(came('t1', launch))
    expect(reports.due).toEqual(['t1'])
    reports.takeNews(ended('t2'))
    expect(reports.due).toEqual(['t1'])
    reports.takeNews(ended('t1'))
    expect(reports).toMatchObject({ due: [], any: true })
  })

  test('of what the ledger knows to be open, until its tool brings back everything or fails', () => {
    const reports = new ReportsDue(['t1', 't2', 't3'])
    reports.takeResults(came('t1', { status: 'completed' }))
    reports.takeResults(came('t2', 'Error: no such agent', { is_error: true }))
    expect(reports).toMatchObject({ due: ['t3'], any: true })
  })

  test('until the news of its end, also where that names only the task; an event of a Monitor is no end', () => {
    const reports = new ReportsDue([])
    reports.takeResults(came('t1', { taskId: 'b1', timeoutMs: 60_000 }))
    reports.takeNews(news('<task-id>b1</task-id><event>tick</event>'))
    expect(reports.due).toEqual(['t1'])
    reports.takeNews(news('<task-id>b1</task-id><status>killed</status>'))
    expect(reports.due).toEqual([])
  })

  test('of two agents until both have reported, in one piece of news or in two', () => {
    const launched = () => {
      const reports = new ReportsDue([])
      for (const id of ['t1', 't2']) reports.takeResults(came(id, { isAsync: true, agentId: id }))
      return reports
    }
    const [one, both] = [launched(), launched()]
    one.takeNews(ended('t2'))
    expect(one.due).toEqual(['t1'])
    both.takeNews(news('<tool-use-id>t1</tool-use-id><status>failed</status><tool-use-id>t2</tool-use-id>'))
    expect(both.due).toEqual([])
  })
})

test('no report is due of a command in the background, of a tool that has said everything, of a list of things to do', () => {
  const reports = new ReportsDue([])
  reports.takeResults(came('t1', { backgroundTaskId: 'b1' }))
  reports.takeResults(came('t2', { status: 'completed', agentId: 'a1' }))
  reports.takeResults(came('t3', { success: true, taskId: '1', updatedFields: ['status'] }))
  reports.takeResults(came('t4', 'a string'))
  expect(reports).toMatchObject({ due: [], any: false })
})

test('news of a task are known by how they begin', () => {
  expect(isTaskNews(ended('t1'))).toBe(true)
  expect(isTaskNews({ type: 'user', message: { content: 'see <task-notification>' } })).toBe(false)
  expect(isTaskNews({ type: 'assistant', message: { content: '<task-notification>' } })).toBe(false)
})
