import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { serverFailure } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { TestIris } from '../support/iris.ts'
import { nextDaemon } from '../support/next-daemon.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'
import { createWorld, spoken, type World } from '../support/world.ts'

/** The CLI tries a failing API again for minutes otherwise. */
const settings = { env: { CLAUDE_CODE_MAX_RETRIES: '0' } }
const fromTeam = 'frontend'

/** Answers with all that Claude Code sent; the message "fill" makes the window of a million nearly full. */
const remembers: Script = ({ conversation: { userTexts, lastUserText } }) => ({
  text: userTexts.map(spoken).join(' | '),
  inputTokens: lastUserText.endsWith('\nfill\n</iris-message>') ? 850_000 : 20_000,
})
const sumsUp: Script = () => ({
  text: '<analysis>-</analysis>\n<summary>WHAT WAS SAID</summary>',
  inputTokens: 850_000,
})

function sessionRows(iris: TestIris) {
  return iris.rows('SELECT * FROM team_sessions ORDER BY id')
}

function statusOf(world: World): unknown {
  using database = new DatabaseSync(join(world.home, 'data/team-sessions.db'), { readOnly: true })
  return database.prepare(`SELECT status FROM team_sessions WHERE status <> 'archived'`).get()?.['status']
}

function compactions(iris: TestIris) {
  return iris.rows('SELECT before_tokens, after_tokens, failure FROM compactions ORDER BY id')
}

describe.each(claudeVersions)('a conversation of Claude Code %s that is nearly full', (version) => {
  const start = (settings: object = {}) =>
    TestIris.start({
      script: remembers,
      compaction: sumsUp,
      settings: { claudePath: claudeBinary(version), ...settings },
    })

  test('is compacted after the answer was given, goes on, and has lost nothing for whoever asks', async () => {
    await using iris = await start()
    const first = await ask(iris, 'backend', 'one', { fromTeam })
    expect(sessionRows(iris)).toMatchObject([{ status: 'active', context_tokens: 20_000, context_window: 1_000_000 }])
    const settled = iris.event('turn-settled', ({ turnId }) => turnId !== first.turnId)
    const filled = await ask(iris, 'backend', 'fill', { fromTeam })
    const compacted = await iris.event('session-compacted')
    expect(compacted.beforeTokens).toBeGreaterThan(800_000)
    expect(compacted.afterTokens).toBeLessThan(100_000)
    expect(compacted.sequence).toBeGreaterThan((await settled).sequence)

    const third = await ask(iris, 'backend', 'three', { fromTeam })
    expect(third).toMatchObject({ status: 'completed', sessionId: first.sessionId })
    expect(third.response).toContain('WHAT WAS SAID')
    expect(third.response).toMatch(/three$/)
    await iris.restart()
    const fourth = await ask(iris, 'backend', 'four', { fromTeam })
    expect(fourth.response).toMatch(/WHAT WAS SAID.*three.*four$/s)
    for (const answer of [filled, third, fourth]) expect(answer).not.toHaveProperty('contextReset')
    expect(sessionRows(iris)).toMatchObject([{ status: 'active', context_tokens: 20_000, message_count: 4 }])
    const { beforeTokens, afterTokens } = compacted
    expect(compactions(iris)).toEqual([{ before_tokens: beforeTokens, after_tokens: afterTokens, failure: null }])
    await iris.daemon.stop(0)
    const log = readFileSync(join(iris.world.home, 'output_streams', first.sessionId, 'stream.log'), 'utf8')
    expect(log).toContain(`CONVERSATION COMPACTED:\nTokens: ${beforeTokens} → ${afterTokens}\n`)
  })

  test('is rotated where that is wished: a summary opens a new one, which says so and is linked', async () => {
    await using iris = await start({ onContextFull: 'rotate' })
    await ask(iris, 'backend', 'one', { fromTeam })
    const first = await ask(iris, 'backend', 'fill', { fromTeam })
    const second = await ask(iris, 'backend', 'two', { fromTeam })
    expect(second).toMatchObject({
      status: 'completed',
      contextReset:
        'its context was full (850000 of 1000000 tokens), and a new conversation began with a summary of it',
    })
    expect(second.sessionId).not.toBe(first.sessionId)
    expect(second.response).toMatch(
      /^<iris-summary>\n.*:\nWHAT WAS SAID\n\nThe last.*one.*fill.*<\/iris-summary>\n<iris-message.*\ntwo$/s,
    )
    const third = await ask(iris, 'backend', 'three', { fromTeam })
    expect(third).not.toHaveProperty('contextReset')
    expect(third.response?.match(/iris-summary/g)).toHaveLength(2)
    expect(sessionRows(iris)).toMatchObject([
      { status: 'archived', session_id: first.sessionId, archived_why: second.contextReset },
      { status: 'active', session_id: second.sessionId, origin: 'rotation', origin_session: first.sessionId },
    ])
  })
})

test('a message that comes while the conversation is compacted waits, is not folded into it, and can be cancelled', async () => {
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const compaction: Script = async (request) => {
    asked.resolve()
    await gate.promise
    return sumsUp(request)
  }
  await using iris = await TestIris.start({ script: remembers, compaction })
  await ask(iris, 'backend', 'one', { fromTeam })
  await ask(iris, 'backend', 'fill', { fromTeam })
  await asked.promise
  expect(sessionRows(iris)).toMatchObject([{ status: 'compact_pending' }])
  const waits = await ask(iris, 'backend', 'waits', { fromTeam, timeout: -1 })
  const goes = await ask(iris, 'backend', 'UNHEARD', { fromTeam, timeout: -1 })
  iris.daemon.parts.orchestrator.cancel(goes.turnId)
  expect(await callTool(iris, 'message_status', { turnId: goes.turnId, timeout: 0 })).toMatchObject({
    status: 'cancelled',
    delivered: false,
  })
  expect(iris.world.model.requests.turns).toBe(2)
  gate.resolve()
  const answer = await callTool(iris, 'message_status', { turnId: waits.turnId, timeout: 0 })
  expect(answer['response']).toMatch(/WHAT WAS SAID.*waits$/s)
  expect(answer['response']).not.toContain('UNHEARD')
})

test('a compaction that fails is recorded and tried again before the next message', async () => {
  let fails = 1
  const compaction: Script = (request) => (fails-- > 0 ? serverFailure : sumsUp(request))
  await using iris = await TestIris.start({ script: remembers, compaction, settings })
  await ask(iris, 'backend', 'one', { fromTeam })
  const { sessionId } = await ask(iris, 'backend', 'fill', { fromTeam })
  expect((await iris.event('session-compaction-failed')).error).toContain('API Error: 500')
  const next = await ask(iris, 'backend', 'next', { fromTeam })
  expect(next).toMatchObject({ status: 'completed', sessionId, response: expect.stringContaining('WHAT WAS SAID') })
  expect(next).not.toHaveProperty('contextReset')
  expect(compactions(iris)).toMatchObject([
    { before_tokens: 850_000, after_tokens: null, failure: expect.stringContaining('Internal server error') },
    { failure: null },
  ])
  expect(sessionRows(iris)).toMatchObject([{ status: 'active' }])
})

test('a compaction that failed twice in a row is given up: the next conversation begins with what was said last', async () => {
  await using iris = await TestIris.start({ script: remembers, compaction: () => serverFailure, settings })
  await ask(iris, 'backend', 'one', { fromTeam })
  const { sessionId } = await ask(iris, 'backend', 'fill', { fromTeam })
  await iris.event('session-compaction-failed')
  const next = await ask(iris, 'backend', 'next', { fromTeam })
  expect(next.contextReset).toContain('began with a summary of it')
  expect(next.sessionId).not.toBe(sessionId)
  expect(next.response).toMatch(/Question:\none\n.*Your answer:\none\n.*Question:\nfill\n.*next/s)
  expect(sessionRows(iris)).toMatchObject([{ status: 'archived' }, { status: 'active', origin: 'rotation' }])
})

test('a compaction that does not help is followed by a rotation, with its summary', async () => {
  const summary = `<summary>BEGINS ${'much was said '.repeat(60_000)}</summary>`
  await using iris = await TestIris.start({
    script: remembers,
    compaction: () => ({ text: `<analysis>-</analysis>\n${summary}` }),
    settings: { compactAt: 0.1 },
  })
  await ask(iris, 'backend', 'one', { fromTeam })
  const { sessionId } = await ask(iris, 'backend', 'fill', { fromTeam })
  await iris.event('session-compacted')
  const next = await ask(iris, 'backend', 'next', { fromTeam })
  expect(next.contextReset).toContain('began with a summary of it')
  expect(next.sessionId).not.toBe(sessionId)
  expect(next.response).toContain('BEGINS much was said')
  expect(next.response!.length).toBeLessThan(50_000)
  expect(compactions(iris)).toHaveLength(1)
})

test('a full conversation is reset where that is wished, at the next message, whose answer says so', async () => {
  await using iris = await TestIris.start({ script: remembers, settings: { onContextFull: 'reset' } })
  await ask(iris, 'backend', 'one', { fromTeam })
  const first = await ask(iris, 'backend', 'fill', { fromTeam })
  const second = await ask(iris, 'backend', 'two', { fromTeam })
  expect(second).toMatchObject({
    response: 'two',
    contextReset: 'its context was full (850000 of 1000000 tokens), and a new conversation began without it',
  })
  expect(await ask(iris, 'backend', 'three', { fromTeam })).toMatchObject({ response: 'two | three' })
  expect(sessionRows(iris)).toMatchObject([
    { status: 'archived', session_id: first.sessionId },
    { status: 'active', origin: 'reset', origin_session: first.sessionId },
  ])
  expect(iris.world.model.requests.sideRequests).toBe(0)
})

describe('kill -9 of the daemon', () => {
  test('in the middle of a compaction: it is done at the next use, and the conversation goes on', async () => {
    const asked = Promise.withResolvers<void>()
    let calls = 0
    const compaction: Script = (request) => {
      calls += 1
      asked.resolve()
      return calls === 1 ? { stall: 'silent' } : sumsUp(request)
    }
    await using world = await createWorld({ script: remembers, compaction })
    await using first = await DaemonProcess.start(world)
    await ask(first, 'backend', 'one', { fromTeam })
    const { sessionId } = await ask(first, 'backend', 'fill', { fromTeam })
    await asked.promise
    await first.kill()
    expect(statusOf(world)).toBe('compact_pending')

    await using second = await nextDaemon(world)
    const next = await ask(second, 'backend', 'next', { fromTeam })
    expect(next).toMatchObject({ status: 'completed', sessionId, response: expect.stringContaining('WHAT WAS SAID') })
    expect(next).not.toHaveProperty('contextReset')
    expect(calls).toBe(2)
    expect(statusOf(world)).toBe('active')
  })

  test('at the first message of a rotated conversation: it is sent again byte for byte', async () => {
    await using world = await createWorld({
      script: remembers,
      compaction: sumsUp,
      settings: { onContextFull: 'rotate' },
    })
    await using first = await DaemonProcess.start(world, 'written', 'crash')
    await ask(first, 'backend', 'one', { fromTeam })
    await ask(first, 'backend', 'fill', { fromTeam })
    const idempotencyKey = 'crash'
    await expect(ask(first, 'backend', 'crash', { fromTeam, idempotencyKey })).rejects.toThrow(
      /fetch failed|terminated|ended without an answer/,
    )
    await first.exited
    const turns = () => world.model.requests.recent.map(({ conversation }) => conversation)

    await using second = await nextDaemon(world)
    const next = await ask(second, 'backend', 'crash', { fromTeam, idempotencyKey })
    expect(next.contextReset).toContain('began with a summary of it')
    // If the transcript already had the message, Claude is asked to continue from there.
    const delivered = turns().filter(({ userTexts }) => userTexts.some((text) => text.includes('crash')))
    expect(new Set(delivered.map(({ userTexts }) => userTexts[0])).size).toBe(1)
    expect(delivered.at(-1)!.userTexts[0]).toMatch(/^<iris-summary>.*WHAT WAS SAID.*crash/s)
  })
})
