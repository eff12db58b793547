import { execFileSync } from 'node:child_process'
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { StoreView } from '../../src/base/protocol/store.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { fakeClaude, type Script } from '../support/fake-claude.ts'
import { deliveredUuids, effects } from '../support/oracle.ts'
import { Stage } from '../support/stage.ts'
import { createWorld } from '../support/world.ts'

const pageBytes = 4096
const args = { toTeam: 'backend', message: 'hello' }
const locked = { code: 'store_unavailable', message: expect.stringContaining('another program has locked it') }

function storeOf({ iris }: Stage): string {
  return join(iris.world.home, 'data/team-sessions.db')
}

/** Another program holds the store locked until the returned function is called. */
function lock(stage: Stage): () => void {
  const database = new DatabaseSync(storeOf(stage))
  onTestFinished(() => database.close())
  database.exec('BEGIN IMMEDIATE')
  return () => database.exec('ROLLBACK')
}

/** Answers when the gate is open. */
const gated = (file: (name: string) => string): Script => ({
  flushDelayMs: 0,
  rules: [{ steps: [{ partial: 'forty' }, { waitForFile: file('gate') }, { text: '-two' }] }],
})

async function storeView({ iris }: Stage): Promise<StoreView> {
  return (await callTool(iris, 'team_status'))['store'] as StoreView
}

describe('a store that another program holds locked', () => {
  test.each([
    ['a sleeping', false],
    ['a warm', true],
  ] as const)('refuses a message to %s team, keeps nothing of it, and takes the next one', async (_, warm) => {
    await using stage = await Stage.start()
    const { iris } = stage
    if (warm) await ask(iris, 'backend', 'warm up')
    const before = iris.rows('SELECT id FROM turns')
    const release = lock(stage)
    expect(await refusal(iris, 'send_message', args)).toMatchObject(locked)
    expect(iris.rows('SELECT id FROM turns')).toEqual(before)
    release()
    const { status, turnId } = await ask(iris, 'backend', 'hello')
    expect(status).toBe('completed')
    expect(deliveredUuids(stage.fake.oracle()).slice(before.length)).toEqual([turnId])
    expect(stage.starts()).toEqual(['start'])
  })

  test('when a message is to be delivered: it waits, and Claude gets it, once, when the store works again', async () => {
    await using stage = await Stage.start({ movesMachine: true })
    const { iris, clock } = stage
    const { turnId } = await ask(iris, 'backend', 'hello', { timeout: -1 })
    const release = lock(stage)
    await eventually(() => clock.pending(250) > 0, 'the message waits for the store')
    expect(stage.fake.oracle().filter(({ event }) => event === 'message')).toEqual([])
    release()
    await clock.jump(250)
    expect(await callTool(iris, 'message_status', { turnId, timeout: 0 })).toMatchObject({ status: 'completed' })
    expect(deliveredUuids(stage.fake.oracle())).toEqual([turnId])
    expect(stage.starts()).toEqual(['start'])
  })

  test('when a message is cancelled: that is said of it when the store has it, and the cancel says why', {
    tags: ['thorough'],
  }, async () => {
    await using stage = await Stage.start({ script: gated, movesMachine: true })
    const { iris, clock } = stage
    const asked = ask(iris, 'backend', 'hello')
    const turnId = await stage.said('forty')
    const release = lock(stage)
    const cancelling = refusal(iris, 'session_cancel', { turnId })
    await eventually(async () => (await storeView(stage)).unrecordedEnds === 1, 'its end waits for the store')
    expect(await callTool(iris, 'message_status', { turnId })).toMatchObject({ status: 'async' })
    await clock.jump(1000)
    expect(await cancelling).toMatchObject({ code: 'store_unavailable', message: expect.stringContaining('cancelled') })
    release()
    await clock.jump(60_000)
    expect(await asked).toMatchObject({ status: 'cancelled' })
    expect(iris.rows('SELECT outcome FROM turns')).toEqual([{ outcome: 'cancelled' }])
  })

  test('when a tool is to start: the tool does not run, and the agent is told', async () => {
    await using stage = await Stage.start({
      script: (file) => ({
        rules: [
          {
            steps: [
              { partial: 'hm' },
              { waitForFile: file('gate') },
              { tool: { name: 'Read', during: [{ appendFile: { path: file('effects'), line: 'done' } }] } },
              { text: '{{lastToolResult}}' },
            ],
          },
        ],
      }),
    })
    const { iris, fake } = stage
    const asked = ask(iris, 'backend', 'hello')
    await stage.said('hm')
    const release = lock(stage)
    fake.open('gate')
    expect((await asked).response).toContain('could not record the start of this tool')
    expect(effects(fake.oracle())).toEqual([])
    release()
    await ask(iris, 'backend', 'again')
    expect(effects(fake.oracle())).toHaveLength(1)
  })

  test('when a turn ends: the caller has his answer, nothing new begins, and the end is recorded by itself', async () => {
    await using stage = await Stage.start({ script: gated, movesMachine: true })
    const { iris, fake, clock } = stage
    const asked = ask(iris, 'backend', 'hello')
    const turnId = await stage.said('forty')
    const release = lock(stage)
    fake.open('gate')
    expect(await asked).toMatchObject({ status: 'completed', response: 'forty-two' })
    const state = () => iris.rows(`SELECT state, answer FROM turns WHERE id = '${turnId}'`)
    expect(state()).toEqual([{ state: 'dispatched', answer: null }])
    expect((await storeView(stage)).unrecordedEnds).toBe(1)
    expect(await refusal(iris, 'send_message', args)).toMatchObject(locked)
    expect(await stage.status(turnId)).toMatchObject({ status: 'completed', response: 'forty-two' })
    release()
    await clock.jump(60_000)
    expect(state()).toEqual([{ state: 'settled', answer: 'forty-two' }])
    expect((await storeView(stage)).unrecordedEnds).toBe(0)
  })

  test('takes what it owes before the next message, whoever comes first', { tags: ['thorough'] }, async () => {
    await using stage = await Stage.start({ script: gated })
    const { iris, fake } = stage
    const asked = ask(iris, 'backend', 'hello')
    const turnId = await stage.said('forty')
    const release = lock(stage)
    fake.open('gate')
    await asked
    release()
    const next = await callTool(iris, 'quick_message', args)
    expect(iris.rows(`SELECT state FROM turns WHERE id = '${turnId}'`)).toEqual([{ state: 'settled' }])
    await stage.status(String(next['turnId']), 0)
  })

  test('until Iris is stopped: the next start finds the end in the transcript', { tags: ['thorough'] }, async () => {
    await using stage = await Stage.start({ script: gated })
    const { iris, fake } = stage
    const asked = ask(iris, 'backend', 'hello')
    const turnId = await stage.said('forty')
    const release = lock(stage)
    fake.open('gate')
    await asked
    await iris.daemon.stop(0)
    release()
    await iris.restart()
    expect(await stage.status(turnId, 0)).toMatchObject({ status: 'completed', response: 'forty-two' })
    expect(deliveredUuids(fake.oracle())).toEqual([turnId])
  })
})

/** No file of this process grows beyond so many bytes: to it the disk is full. */
function limitFiles(pid: number, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`])
}

test('a full disk: what runs gets its answer, new messages are refused, and all is well when there is room again', async () => {
  using fake = fakeClaude({ script: gated })
  await using world = await createWorld({
    settings: { logLevel: 'info', claudePath: fake.claudePath, env: { ...fake.env } },
  })
  await using daemon = await DaemonProcess.start(world)
  const { turnId } = await callTool(daemon, 'quick_message', args)
  await eventually(() => deliveredUuids(fake.oracle()).length > 0, 'Claude has the message')
  limitFiles(daemon.pid, pageBytes)
  expect(await refusal(daemon, 'send_message', args)).toMatchObject({
    code: 'store_unavailable',
    message: expect.stringContaining('the disk'),
    remedy: expect.stringContaining('Then try again'),
  })
  fake.open('gate')
  const status = (timeout: number) => callTool(daemon, 'message_status', { turnId, timeout })
  expect(await status(0)).toMatchObject({ status: 'completed', response: 'forty-two' })
  expect(await callTool(daemon, 'team_status')).toMatchObject({ store: { unrecordedEnds: 1 } })
  expect(await refusal(daemon, 'send_message', args)).toMatchObject({ code: 'store_unavailable' })

  limitFiles(daemon.pid, 'unlimited')
  const stateOf = (): unknown => {
    using store = new DatabaseSync(join(world.home, 'data/team-sessions.db'), { readOnly: true })
    return store.prepare('SELECT state FROM turns WHERE id = ?').get(String(turnId))?.['state']
  }
  await eventually(() => stateOf() === 'settled', 'the end is recorded by itself')
  expect(await ask(daemon, 'backend', 'again')).toMatchObject({ status: 'completed', response: 'forty-two' })
  expect(deliveredUuids(fake.oracle())).toHaveLength(2)
  expect(daemon.log).toContain('the store works again')
})

test('a store that fails while a message is given to its process keeps that process from no later message', async () => {
  await using stage = await Stage.start()
  const { iris } = stage
  const { sessionId } = await ask(iris, 'backend', 'warm up')
  iris.change('ALTER TABLE steers RENAME TO away')
  expect(await refusal(iris, 'send_message', args)).toMatchObject({ code: 'internal' })
  iris.change('ALTER TABLE away RENAME TO steers')
  expect(await ask(iris, 'backend', 'two')).toMatchObject({ status: 'completed', sessionId })
  expect(stage.starts()).toEqual(['start'])
})

test('damage met while Iris runs: everything is refused with the reason, and a restart repairs it', async () => {
  await using stage = await Stage.start({ script: { rules: [{ steps: [{ text: 'hi' }] }] } })
  const { iris } = stage
  const { turnId, sessionId } = await ask(iris, 'backend', 'hello')
  await iris.restart()
  await iris.daemon.recovered
  const [index] = iris.rows(`SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_turns_1'`)
  const file = openSync(storeOf(stage), 'r+')
  writeSync(file, Buffer.alloc(pageBytes, 0xaa), 0, pageBytes, (Number(index!['rootpage']) - 1) * pageBytes)
  closeSync(file)

  const damaged = {
    code: 'store_unavailable',
    message: expect.stringContaining('is damaged'),
    remedy: expect.stringContaining('Restart Iris'),
  }
  expect(await refusal(iris, 'message_status', { turnId })).toMatchObject(damaged)
  expect(await refusal(iris, 'send_message', args)).toMatchObject(damaged)
  expect((await storeView(stage)).damage).toContain('malformed')

  await iris.restart()
  expect(await iris.event('store-rebuilt')).toMatchObject({ rebuilt: { sessions: 1, turns: 1, inDoubt: 0 } })
  expect(await stage.status(turnId)).toMatchObject({ status: 'completed', response: 'hi' })
  expect(await ask(iris, 'backend', 'on')).toMatchObject({ status: 'completed', sessionId })
  await eventually(() => stage.starts().includes('resume'), 'the conversation goes on')
})
