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
  test('takes a hundred calls at once for a new pair: one session, one process, each answer in its order', async () => {
    await using stage = await Stage.start({ script: holds, settings: { queueLength: 100 } })
    const { iris } = stage
    const calls = Array.from({ length: 100 }, (_, index) => ask(iris, 'backend', `call ${index}`))
    const answers = await Promise.all(calls)
    const numbers = answers.map(({ response }) => Number(response?.replace('turn ', '')))
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
    const rows = iris.rows('SELECT answer FROM turns ORDER BY sequence')
    expect(rows.map(({ answer }) => answer)).toEqual(rows.map((_, index) => `turn ${index + 1}`))
    expect(iris.rows('SELECT from_team, to_team, message_count FROM team_sessions')).toEqual([
      { from_team: 'external', to_team: 'backend', message_count: 100 },
    ])
    expect(stage.starts()).toEqual(['start'])
  })

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

  test.each([
    ['another message', { message: 'something else' }],
    ['another team', { toTeam: 'mobile' }],
    ['another thread', { thread: 'review' }],
  ])('is refused for %s', async (_, other) => {
    await using stage = await Stage.start({ script: holds })
    const { iris } = stage
    const { turnId } = await ask(iris, 'backend', 'hello', key)
    const args = { toTeam: 'backend', message: 'hello', ...key, ...other }
    expect(await refusal(iris, 'send_message', args)).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(turnId),
    })
  })

  test('does not meet the same key of another asker', async () => {
    await using stage = await Stage.start({ script: holds })
    const { iris } = stage
    const mine = await ask(iris, 'backend', 'hello', key)
    const his = await ask(iris, 'backend', 'hello', { ...key, fromTeam: 'mobile' })
    expect(his).toMatchObject({ status: 'completed', from: 'mobile' })
    expect(his.turnId).not.toBe(mine.turnId)
  })

  test('that was refused may come again: nothing had been kept of it', async () => {
    await using stage = await Stage.start({ script: holds })
    const { iris } = stage
    const args = { toTeam: 'backend', ...key }
    expect(await refusal(iris, 'send_message', { ...args, message: ' ' })).toMatchObject({ code: 'message_empty' })
    expect(await ask(iris, 'backend', 'hello', key)).toMatchObject({ status: 'completed' })
  })
})

describe('Iris stops', () => {
  test('while a message runs and another waits: both are taken up at the next start, in their order', async () => {
    await using stage = await Stage.start({ script: holds })
    const { iris, fake } = stage
    const running = await ask(iris, 'backend', 'hold', { fromTeam, timeout: -1 })
    await stage.said('Holding ')
    const waiting = await ask(iris, 'backend', 'next', { fromTeam, timeout: -1 })
    fake.open('gate.again')
    await iris.restart()
    fake.open('gate')
    expect(await stage.status(waiting.turnId, 0)).toMatchObject({ status: 'completed' })
    expect(await stage.status(running.turnId, 0)).toMatchObject({ status: 'completed' })
    const settled = iris.rows('SELECT message FROM turns ORDER BY settled_at, sequence')
    expect(settled.map(({ message }) => message)).toEqual(['hold', 'next'])
  })

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

test.each(['cold', 'warm'])(
  'a message is answered although what follows its commit throws, the process %s',
  async (state) => {
    let fails = state === 'cold'
    await using stage = await Stage.start({
      script: holds,
      at: (checkpoint, { facts }) => {
        if (fails && checkpoint === 'accepted') throw new Error(`no word of ${facts.message}`)
      },
    })
    if (state === 'warm') await ask(stage.iris, 'backend', 'before')
    fails = true
    expect(await ask(stage.iris, 'backend', 'call')).toMatchObject({ status: 'completed' })
    fails = false
    expect(await ask(stage.iris, 'backend', 'after')).toMatchObject({ status: 'completed' })
  },
)
