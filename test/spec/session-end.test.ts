import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { Stage } from '../support/stage.ts'

const fromTeam = 'frontend'
const pair = { team: 'backend', fromTeam }
const force = { ...pair, force: true }
const endGrace = 5000

const script = (file: (name: string) => string) => ({
  rules: [
    { when: 'hold', steps: [{ partial: 'Holding ' }, { waitForFile: file('never') }] },
    { when: 'freeze', steps: [{ partial: 'Freezing ' }, { stop: true as const }] },
    { steps: [{ text: 'turn {{turnNumber}}' }] },
  ],
})

/** Sends it without waiting; the id of its turn. */
async function send(stage: Stage, message: string, args: object = {}): Promise<string> {
  return (await ask(stage.iris, 'backend', message, { fromTeam, timeout: -1, ...args })).turnId
}

/** A process that takes neither the interrupt nor SIGTERM is killed. */
async function letItHang({ clock }: Stage): Promise<void> {
  for (const _ of ['interrupt', 'SIGTERM']) {
    await eventually(() => clock.pending(endGrace) > 0, 'it gets a moment')
    await clock.jump(endGrace)
  }
}

describe('a conversation that is deleted', () => {
  test('while its process starts takes nothing with it: the message is cancelled, the process ended', {
    tags: ['thorough'],
  }, async () => {
    await using stage = await Stage.start({ script: { startDelayMs: 300 } })
    const { iris } = stage
    const turnId = await send(stage, 'too late')
    const deleted = await callTool(iris, 'session_delete', force)
    expect(deleted).toMatchObject({ processTerminated: true, cancelledTurnIds: [turnId] })
    expect(await stage.status(turnId)).toMatchObject({
      status: 'cancelled',
      delivered: false,
      sessionId: deleted['sessionId'],
    })
    expect(iris.daemon.parts.pool.size).toBe(0)
    expect(iris.rows(`SELECT id FROM team_sessions WHERE status <> 'archived'`)).toEqual([])
  })

  test('while somebody waits to wake it gets no process any more', { tags: ['thorough'] }, async () => {
    await using stage = await Stage.start({ script, settings: { maxProcesses: 1, queueTimeout: 70_000 } })
    const { iris, clock } = stage
    const other = await send(stage, 'hold', { thread: 'other' })
    await stage.said('Holding ')
    const woken = refusal(iris, 'team_wake', pair)
    await eventually(() => clock.pending(70_000) === 1, 'it waits for a place')
    await callTool(iris, 'session_delete', pair)
    await callTool(iris, 'session_cancel', { turnId: other })
    expect(await woken).toMatchObject({ code: 'session_ended' })
    expect(stage.starts()).toEqual(['start'])
  })

  test('while its process hangs is gone at once: the next message does not wait for that', async () => {
    await using stage = await Stage.start({ script, movesMachine: true })
    const { iris } = stage
    const turnId = await send(stage, 'freeze')
    await stage.said('Freezing ')
    const deletion = callTool(iris, 'session_delete', force)
    await iris.event('session-archived')
    expect(await stage.status(turnId)).toMatchObject({ status: 'async', partialResponse: 'Freezing ' })
    expect(await ask(iris, 'backend', 'hello', { fromTeam })).toMatchObject({ response: 'turn 1' })
    await letItHang(stage)
    expect(await deletion).toMatchObject({ cancelledTurnIds: [turnId] })
    expect(iris.rows(`SELECT status FROM team_sessions ORDER BY id`)).toEqual([
      { status: 'archived' },
      { status: 'active' },
    ])
  })

  test('and cut short by a crash: what ran in it is cancelled at the next start, not sent again', async () => {
    await using stage = await Stage.start({ script })
    const { iris } = stage
    const turnId = await send(stage, 'hold')
    await stage.said('Holding ')
    await iris.daemon.stop(0)
    const database = new DatabaseSync(join(iris.world.home, 'data/team-sessions.db'))
    database.exec(`UPDATE team_sessions SET status = 'archived'`)
    database.close()
    await iris.restart()
    expect(await stage.status(turnId, 0)).toMatchObject({ status: 'cancelled', delivered: false })
    expect(await ask(iris, 'backend', 'hello', { fromTeam })).toMatchObject({ response: 'turn 1' })
    expect(stage.starts()).toEqual(['start', 'start'])
  })
})

test('a conversation that was put away because nobody used it is deleted and rebooted like any other', {
  tags: ['thorough'],
}, async () => {
  await using stage = await Stage.start({ script })
  const { iris } = stage
  const { sessionRegistry: sessions } = iris.daemon.parts
  for (const verb of ['session_delete', 'session_reboot']) {
    const { sessionId } = await ask(iris, 'backend', 'hello', { fromTeam })
    await callTool(iris, 'team_sleep', pair)
    sessions.makeDormant([sessions.bySessionId(sessionId)!], 'unused')
    const ended = await callTool(iris, verb, pair)
    expect(ended['sessionId'] ?? ended['oldSessionId']).toBe(sessionId)
    expect(await ask(iris, 'backend', 'hello', { fromTeam })).toMatchObject({ response: 'turn 1' })
    await callTool(iris, 'session_delete', pair)
  }
})

describe('a conversation that is rebooted', () => {
  test('without ever having been is opened, with a warm process', { tags: ['thorough'] }, async () => {
    await using stage = await Stage.start({ script })
    const rebooted = await callTool(stage.iris, 'session_reboot', { toTeam: 'backend', fromTeam })
    expect(rebooted).toMatchObject({ hadPreviousSession: false, processTerminated: false })
    expect(rebooted).not.toHaveProperty('oldSessionId')
    expect(stage.starts()).toEqual(['start'])
    const { sessionId } = await ask(stage.iris, 'backend', 'hello', { fromTeam })
    expect(sessionId).toBe(rebooted['newSessionId'])
    expect(stage.starts()).toEqual(['start'])
  })

  test('and cannot start says so; the conversation is a new one all the same', { tags: ['thorough'] }, async () => {
    await using stage = await Stage.start({
      script: (file) => ({ exitAtStart: { code: 1, stderr: 'broken', unlessFile: file('starts') } }),
    })
    const { iris, fake } = stage
    fake.open('starts')
    const { sessionId } = await ask(iris, 'backend', 'hello', { fromTeam })
    rmSync(fake.file('starts'))
    expect(await refusal(iris, 'session_reboot', pair)).toMatchObject({ code: 'session_creation_failed' })
    const live = iris.rows(`SELECT session_id FROM team_sessions WHERE status <> 'archived'`)
    expect(live).toHaveLength(1)
    expect(live).not.toEqual([{ session_id: sessionId }])
  })

  test('while its process hangs: what waited begins once that has ended, and the first of it says why', {
    tags: ['thorough'],
  }, async () => {
    await using stage = await Stage.start({ script, movesMachine: true })
    const { iris } = stage
    const running = await send(stage, 'freeze')
    await stage.said('Freezing ')
    const waiting = [await send(stage, 'one'), await send(stage, 'two'), await send(stage, 'three')]
    const rebooted = callTool(iris, 'session_reboot', force)
    await iris.event('session-archived')
    const [one, two, three] = waiting as [string, string, string]
    await callTool(iris, 'session_cancel', { turnId: one })
    expect(await stage.status(one)).not.toHaveProperty('contextReset')
    expect(await stage.status(two)).toMatchObject({ status: 'async', delivered: false })
    await letItHang(stage)
    expect(await rebooted).toMatchObject({ cancelledTurnId: running, processTerminated: true, movedTurns: 3 })
    expect(await stage.status(two, 0)).toMatchObject({ response: 'turn 1', contextReset: 'rebooted on request' })
    expect(await stage.status(three, 0)).not.toHaveProperty('contextReset')
    expect(iris.rows(`SELECT id, context_reset FROM turns WHERE context_reset IS NOT NULL`)).toHaveLength(1)
  })
})
