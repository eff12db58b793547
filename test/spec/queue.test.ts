import { describe, expect, test } from 'vitest'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { deliveredUuids } from '../support/oracle.ts'
import { Stage } from '../support/stage.ts'

const fromTeam = 'frontend'
const holdTimeout = 70_000

/** Told to hold, it waits for the gate; else it counts. */
const holds = (file: (name: string) => string) => ({
  flushDelayMs: 0,
  rules: [
    { when: 'hold', steps: [{ partial: 'Holding ' }, { waitForFile: file('gate') }, { text: 'on.' }] },
    { steps: [{ text: 'turn {{turnNumber}}' }] },
  ],
})

describe('a queue', () => {
  test('that is full refuses the next at once, says who is before it, and keeps nothing of it', async () => {
    await using stage = await Stage.start({ script: holds, settings: { queueLength: 2 } })
    const { iris, fake } = stage
    const asked = [ask(iris, 'backend', 'hold', { fromTeam })]
    const running = await stage.said('Holding ')
    for (const message of ['first', 'second']) asked.push(ask(iris, 'backend', message, { fromTeam }))
    await eventually(() => iris.rows('SELECT id FROM turns').length === 3, 'two are waiting')
    expect(await refusal(iris, 'send_message', { toTeam: 'backend', fromTeam, message: 'third' })).toMatchObject({
      code: 'queue_full',
      message: expect.stringContaining(running),
      remedy: expect.stringContaining('thread'),
    })
    expect(await ask(iris, 'backend', 'elsewhere', { fromTeam, thread: 'other' })).toMatchObject({ response: 'turn 1' })
    fake.open('gate')
    expect((await Promise.all(asked)).map(({ response }) => response)).toEqual(['Holding on.', 'turn 2', 'turn 3'])
    expect(iris.rows('SELECT message FROM turns ORDER BY sequence').map(({ message }) => message)).toEqual([
      'hold',
      'first',
      'second',
      'elsewhere',
    ])
  })

  test('tells how many wait, and shows each how it stands', async () => {
    await using stage = await Stage.start({ script: holds })
    const { iris, clock, fake } = stage
    const held = ask(iris, 'backend', 'hold', { fromTeam })
    await stage.said('Holding ')
    const waiting = ask(iris, 'backend', 'next', { fromTeam, timeout: holdTimeout })
    await eventually(() => clock.pending(holdTimeout) === 1, 'it waits')
    const { teams } = (await callTool(iris, 'team_status', { team: 'backend' })) as {
      teams: { sessions: { queueLength: number; processState: string }[] }[]
    }
    expect(teams[0]?.sessions).toMatchObject([{ queueLength: 1, processState: 'processing' }])
    await clock.jump(holdTimeout)
    const early = await waiting
    expect(early).toMatchObject({ status: 'mcp_timeout', delivered: false })
    expect(early.queuedMs).toBeGreaterThanOrEqual(holdTimeout)
    expect(early).not.toHaveProperty('partialResponse')
    fake.open('gate')
    await held
    expect(await stage.status(early.turnId, 0)).toMatchObject({ status: 'completed', response: 'turn 2' })
  })
})

describe('a message with an idempotency key', () => {
  const key = { fromTeam, idempotencyKey: 'once' }

  test('that comes again is the same message, while it runs, when it has ended, and after a restart', async () => {
    await using stage = await Stage.start({ script: holds })
    const { iris, fake } = stage
    const calls = [ask(iris, 'backend', 'hold', key), ask(iris, 'backend', 'hold', key)]
    const turnId = await stage.said('Holding ')
    calls.push(ask(iris, 'backend', 'hold', key))
    fake.open('gate')
    const expected = { status: 'completed', turnId, response: 'Holding on.' }
    for (const answer of await Promise.all(calls)) expect(answer).toMatchObject(expected)
    expect(await ask(iris, 'backend', 'hold', key)).toMatchObject(expected)
    await iris.restart()
    expect(await ask(iris, 'backend', 'hold', key)).toMatchObject(expected)
    expect(deliveredUuids(fake.oracle())).toHaveLength(1)
  })

  test('does not meet the same key of another asker', async () => {
    await using stage = await Stage.start({ script: holds })
    const { iris } = stage
    const mine = await ask(iris, 'backend', 'hello', key)
    const his = await ask(iris, 'backend', 'hello', { ...key, fromTeam: 'mobile' })
    expect(his).toMatchObject({ status: 'completed', from: 'mobile' })
    expect(his.turnId).not.toBe(mine.turnId)
  })
})

describe('Iris stops', () => {
  test('while a process starts: it does not wait for the answer, and the message is taken up at the next start', async () => {
    await using stage = await Stage.start({ script: (file) => ({ ...holds(file), startDelayMs: 300 }) })
    const { iris, fake } = stage
    const { turnId } = await ask(iris, 'backend', 'hold', { fromTeam, timeout: -1 })
    await eventually(() => stage.starts().length === 1, 'the process is there')
    await iris.restart()
    expect(deliveredUuids(fake.oracle())).toEqual([])
    fake.open('gate')
    expect(await stage.status(turnId, 0)).toMatchObject({ status: 'completed', response: 'Holding on.' })
  })

  test('and whoever listened is told that there will be no more', async () => {
    await using stage = await Stage.start({ script: holds })
    const { iris, fake } = stage
    const { turnId } = await ask(iris, 'backend', 'hello', { fromTeam })
    const turn = iris.daemon.parts.orchestrator.turn(turnId)
    const ended: string[] = []
    iris.daemon.events$.subscribe({ complete: () => ended.push('events') })
    turn?.messages$.subscribe({ complete: () => ended.push('lines') })
    fake.open('gate')
    await iris.daemon.stop(0)
    expect(ended).toEqual(['lines', 'events'])
  })
})
