import { expect, test } from 'vitest'
import { heldText, rateLimitFailure, type Script } from '../../src/app/demo/script.ts'
import { textDelta } from '../../src/base/agent/line.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { spoken } from '../support/world.ts'

const fromTeam = 'frontend'
const pair = { team: 'backend', fromTeam }
const never = new Promise<never>(() => {})

const script: Script = ({ conversation: { lastUserText, step } }) => {
  const message = spoken(lastUserText)
  if (message === 'hold') return { stream: heldText('Half an ans', never, '') }
  if (message === 'fail') return rateLimitFailure
  if (message === 'use a tool' && step === 0) {
    return { text: 'Looking.', toolUses: [{ name: 'Bash', input: { command: 'echo found it' } }] }
  }
  return { text: `answer to ${message}` }
}

const start = (claude: 'real' | 'either' = 'either') =>
  TestIris.start({ claude, script, env: { CLAUDE_CODE_MAX_RETRIES: '0' } })
const report = (iris: TestIris, more: object = {}) => callTool(iris, 'session_report', { ...pair, ...more })

test('a report before the first ask says that there is nothing, of an unknown team that it is unknown', async () => {
  await using iris = await start()
  expect(await report(iris)).toMatchObject({
    hasSession: false,
    hasProcess: false,
    processState: 'stopped',
    allComplete: true,
    entries: [],
    stats: { total: 0 },
  })
  expect(iris.rows('SELECT * FROM team_sessions')).toEqual([])
  expect(await refusal(iris, 'session_report', { team: 'backnd', fromTeam })).toMatchObject({ code: 'unknown_team' })
  expect(await refusal(iris, 'session_report', { fromTeam })).toMatchObject({ code: 'invalid_input' })
})

test('a report tells what was asked, what Claude Code did, and how it ended; while it runs too, and after a restart', async () => {
  await using iris = await start('real')
  const { sessionId, turnId } = await ask(iris, 'backend', 'use a tool', { fromTeam })
  await ask(iris, 'backend', 'fail', { fromTeam })
  await ask(iris, 'backend', 'elsewhere', { fromTeam, thread: 'other' })
  const failed = await report(iris)
  expect(failed).toMatchObject({ hasSession: true, sessionId, hasProcess: true, allComplete: true })
  expect(failed['stats']).toEqual({
    total: 2,
    active: 0,
    completed: 1,
    failed: 1,
    cancelled: 0,
    timedOut: 0,
    inDoubt: 0,
  })
  const [first, second] = failed['entries'] as Record<string, unknown>[]
  expect(first).toMatchObject({
    type: 'tell',
    turnId,
    message: 'use a tool',
    status: 'completed',
    response: 'answer to use a tool',
    usage: { outputTokens: expect.any(Number) },
    createdAt: expect.any(Number),
    completedAt: expect.any(Number),
  })
  const messages = first!['messages'] as { timestamp: number; type: string; text?: string }[]
  expect(messages.map(({ type, text }) => [type, text])).toEqual(
    expect.arrayContaining([
      ['system/init', undefined],
      ['tool_use', 'Bash'],
      ['tool_result', 'found it'],
      ['assistant', 'answer to use a tool'],
      ['result', 'answer to use a tool'],
    ]),
  )
  const times = messages.map(({ timestamp }) => timestamp)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(times[0]).toBeGreaterThanOrEqual(first!['createdAt'] as number)
  expect(second).toMatchObject({ message: 'fail', status: 'failed', reason: 'api_rate_limited' })

  const running = await ask(iris, 'backend', 'hold', { fromTeam, timeout: -1 })
  await iris.event('turn-message', ({ message }) => textDelta(message as never).includes('Half'))
  const waiting = await ask(iris, 'backend', 'later', { fromTeam, timeout: -1 })
  const busy = await report(iris)
  expect(busy).toMatchObject({ hasProcess: true, processState: 'processing', allComplete: false, stats: { active: 2 } })
  expect((busy['entries'] as object[]).slice(2)).toMatchObject([
    { turnId: running.turnId, status: 'working', partialResponse: 'Half an ans' },
    { turnId: waiting.turnId, status: 'queued', messages: [] },
  ])
  for (const id of [waiting.turnId, running.turnId]) await callTool(iris, 'session_cancel', { turnId: id })

  await iris.restart()
  const after = await report(iris)
  expect(after).toMatchObject({
    hasSession: true,
    sessionId,
    hasProcess: false,
    allComplete: true,
    stats: { total: 4, cancelled: 2 },
  })
  const { messages: _, messageCount: __, ...remembered } = first!
  expect((after['entries'] as object[])[0]).toEqual(remembered)
})

test('a report comes in pages, the newest first to be had, and holds what was before a reboot', {
  tags: ['thorough'],
}, async () => {
  await using iris = await start()
  const first = await ask(iris, 'backend', '1', { fromTeam })
  await callTool(iris, 'session_reboot', pair)
  for (const message of ['2', '3', '4', '5']) await ask(iris, 'backend', message, { fromTeam })
  const seen: unknown[] = []
  let before: object = {}
  for (const expected of [['4', '5'], ['2', '3'], ['1']]) {
    const page = await report(iris, { limit: 2, ...before })
    const entries = page['entries'] as { message: string; sessionId: string }[]
    expect(entries.map(({ message }) => message)).toEqual(expected)
    expect(page['stats']).toMatchObject({ total: 5 })
    seen.push(...entries)
    before = { before: page['before'] }
  }
  expect(before).toEqual({ before: undefined })
  expect(seen.at(-1)).toMatchObject({ sessionId: first.sessionId })
})

test('long texts are cut in a report, and it says by how much', { tags: ['thorough'] }, async () => {
  await using iris = await start()
  await ask(iris, 'backend', 'x'.repeat(3000), { fromTeam })
  const [entry] = (await report(iris))['entries'] as { message: string; response: string }[]
  expect(entry!.message).toBe(`${'x'.repeat(2000)}… (1000 more bytes)`)
  expect(entry!.response).toMatch(/… \(\d+ more bytes\)$/)
})
