import { describe, expect, test } from 'vitest'
import type { TurnResult } from '../../src/base/protocol/turn.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { Stage } from '../support/stage.ts'
import { type ConfigChange, createWorld } from '../support/world.ts'

const fromTeam = 'frontend'

/** Answers with the number of the turn in its conversation; told to hold, it waits for a gate. */
const counts = (file: (name: string) => string) => ({
  rules: [
    { when: 'hold', steps: [{ partial: 'held' }, { waitForFile: file('gate') }, { text: ' on' }] },
    {
      when: 'background',
      steps: [{ backgroundTask: { id: 'b1', endsAfterFile: file('end') } }, { text: 'on it' }],
    },
    { steps: [{ text: 'turn {{turnNumber}}' }] },
  ],
})

function say(stage: Stage, message: string, thread = 'main'): Promise<TurnResult> {
  return ask(stage.iris, 'backend', message, { fromTeam, thread })
}

/** Saves it and waits until it is in force. */
async function save({ iris }: Stage, change: ConfigChange) {
  let last = 0
  const note = ({ sequence }: { sequence: number }): void => void (last = sequence)
  iris.events$.subscribe(note).unsubscribe()
  iris.world.writeConfig(change)
  const { keys } = await iris.event('config-reloaded', ({ sequence }) => sequence > last)
  return keys
}

/** Why processes were ended, with their threads, in any order. */
function ended({ iris }: Stage): string[] {
  const found: string[] = []
  iris.events$
    .subscribe((event) => event.type === 'process-terminated' && found.push(`${event.thread}: ${event.why}`))
    .unsubscribe()
  return found.toSorted()
}

async function allEnded(stage: Stage, expected: readonly string[]): Promise<void> {
  await eventually(() => ended(stage).length >= expected.length, `${expected.length} have ended`)
  expect(ended(stage)).toEqual(expected)
}

const changed = 'its settings have changed'
const teams = { frontend: {}, backend: {}, mobile: {} }

describe('settings that a process carries', () => {
  test.each([
    ['model', { model: 'opus' }, {}],
    ['appendSystemPrompt', { appendSystemPrompt: 'Be short.' }, {}],
    ['allowedTools', { allowedTools: ['Read'] }, {}],
    ['disallowedTools', { disallowedTools: ['Bash'] }, {}],
    ['mcpServers', { mcpServers: 'project' }, {}],
    ['env', { env: { A: 'b' } }, {}],
    ['that no tool may run', { grantPermission: 'no' }, {}],
    ['env of all', {}, { A: 'b' }],
  ])('are carried by the next turn once %s is saved', async (_, backend, envOfAll) => {
    await using stage = await Stage.start({ script: counts })
    await say(stage, '1')
    await save(stage, { teams: { ...teams, backend }, settings: { env: { ...stage.fake.env, ...envOfAll } } })
    await allEnded(stage, [`main: ${changed}`])
    expect(await say(stage, '2')).toMatchObject({ response: 'turn 2' })
    expect(stage.starts()).toEqual(['start', 'resume'])
  })

  test('are left to a turn at work until its end; the one behind it has the new ones', async () => {
    await using stage = await Stage.start({ script: counts })
    const running = say(stage, 'hold')
    await stage.said('held')
    const behind = say(stage, '2')
    await save(stage, { teams: { ...teams, backend: { model: 'opus' } } })
    expect(ended(stage)).toEqual([])
    stage.fake.open('gate')
    expect(await running).toMatchObject({ status: 'completed', response: 'held on' })
    expect(await behind).toMatchObject({ status: 'completed', response: 'turn 2' })
    expect(ended(stage)).toEqual([`main: ${changed}`])
    expect(stage.starts()).toEqual(['start', 'resume'])
  })

  test('are left to what runs in the background until its end', async () => {
    await using stage = await Stage.start({ script: counts })
    await say(stage, 'do it in the background')
    await save(stage, { teams: { ...teams, backend: { model: 'opus' } } })
    expect(ended(stage)).toEqual([])
    stage.fake.open('end')
    await allEnded(stage, [`main: ${changed}`])
    expect(await say(stage, '2')).toMatchObject({ response: 'turn 3' })
  })

  test('are not waited for by a message: it ends what runs in the background', async () => {
    await using stage = await Stage.start({ script: counts })
    await say(stage, 'do it in the background')
    await save(stage, { teams: { ...teams, backend: { model: 'opus' } } })
    expect(await say(stage, '2')).toMatchObject({ status: 'completed' })
    expect(stage.starts()).toEqual(['start', 'resume'])
  })

  test('do not end a process for what it does not carry, nor one of another team', async () => {
    await using stage = await Stage.start({ script: counts })
    await say(stage, '1')
    const backend = {
      description: 'The API',
      color: '#FF6B9D',
      grantPermission: 'yes',
      dangerous: true,
      onInterrupted: 'report',
    }
    const keys = await save(stage, { teams: { ...teams, backend, mobile: { model: 'opus' } } })
    expect(keys).toContain('teams.mobile.model')
    expect(await say(stage, '2')).toMatchObject({ response: 'turn 2' })
    expect(stage.starts()).toEqual(['start'])
  })
})

test('a team that is removed and put back is asked as before', async () => {
  await using stage = await Stage.start({ script: counts })
  await say(stage, '1')
  await save(stage, { teams: { frontend: {} } })
  await allEnded(stage, ['main: its team was removed'])
  expect(await refusal(stage.iris, 'team_wake', { team: 'backend', fromTeam })).toMatchObject({
    code: 'unknown_team',
    message: expect.stringContaining('was removed'),
    remedy: expect.stringContaining('message_status'),
  })
  await save(stage, { teams })
  expect(await say(stage, '2')).toMatchObject({ response: 'turn 2' })
})

describe('maxProcesses', () => {
  test('made smaller ends idle processes at once and busy ones after their turn', async () => {
    await using stage = await Stage.start({ script: counts })
    for (const thread of ['a', 'b', 'c']) await say(stage, '1', thread)
    const held = say(stage, 'hold', 'd')
    await stage.said('held')
    await save(stage, { settings: { maxProcesses: 1 } })
    const why = 'settings.maxProcesses is 1 now'
    await allEnded(stage, [`a: ${why}`, `b: ${why}`, `c: ${why}`])
    stage.fake.open('gate')
    expect(await held).toMatchObject({ status: 'completed' })
    expect(await callTool(stage.iris, 'team_status')).toMatchObject({ pool: { activeProcesses: 1, maxProcesses: 1 } })
  })

  test('made smaller than what is busy lets all end their turns, and ends as many as are too many', async () => {
    await using stage = await Stage.start({ script: counts })
    const held = ['a', 'b', 'c'].map((thread) => say(stage, 'hold', thread))
    await eventually(() => stage.fake.oracle().filter(({ event }) => event === 'message').length === 3, 'all work')
    await save(stage, { settings: { maxProcesses: 1 } })
    expect(ended(stage)).toEqual([])
    stage.fake.open('gate')
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
    await eventually(() => ended(stage).length === 2, 'two have ended')
    expect(await callTool(stage.iris, 'team_status')).toMatchObject({ pool: { activeProcesses: 1 } })
  })

  test('made larger lets those who wait begin', async () => {
    await using stage = await Stage.start({ script: counts, settings: { maxProcesses: 1 } })
    const held = say(stage, 'hold', 'a')
    await stage.said('held')
    const waiting = ['b', 'c'].map((thread) => say(stage, '1', thread))
    await save(stage, { settings: { maxProcesses: 3 } })
    expect((await Promise.all(waiting)).map(({ response }) => response)).toEqual(['turn 1', 'turn 1'])
    stage.fake.open('gate')
    await held
  })
})

test('a shorter idleTimeout counts from the last use of a process', async () => {
  await using stage = await Stage.start({ script: counts })
  await say(stage, '1')
  await stage.clock.jump(60_000)
  await save(stage, { settings: { idleTimeout: 100_000 } })
  expect(ended(stage)).toEqual([])
  await stage.clock.jump(40_000)
  await allEnded(stage, ['main: idle for 100000 ms'])
})

test('a shorter queueTimeout counts for those who wait already', async () => {
  const settings = { maxProcesses: 1, queueTimeout: 1_000_000 }
  await using stage = await Stage.start({ script: counts, settings })
  const held = say(stage, 'hold', 'a')
  await stage.said('held')
  const late = say(stage, '1', 'b')
  await eventually(() => stage.clock.pending(1_000_000) === 1, 'it waits')
  await save(stage, { settings: { queueTimeout: 50_000 } })
  await stage.clock.jump(50_000)
  expect(await late).toMatchObject({ status: 'failed', reason: 'queue_timeout' })
  stage.fake.open('gate')
  await held
})

test('a shorter responseTimeout and maxSilence count for the turn that runs', async () => {
  await using stage = await Stage.start({
    script: counts,
    settings: { responseTimeout: 20_000, maxSilence: 1_000_000 },
  })
  const running = say(stage, 'hold')
  await stage.said('held')
  await save(stage, { settings: { responseTimeout: 20_000, maxSilence: 40_000 } })
  await stage.clock.jump(60_000)
  expect(await running).toMatchObject({
    status: 'timed_out',
    reason: 'no_progress',
    detail: expect.stringContaining('40000 ms'),
  })
})

test('healthCheckInterval counts from the save', async () => {
  await using stage = await Stage.start({ settings: { healthCheckInterval: 2_000_000 } })
  await save(stage, { settings: { healthCheckInterval: 1000 } })
  await stage.clock.jump(1000)
  await stage.iris.event('health-check')
  expect(stage.clock.pending(2_000_000)).toBe(0)
})

test('maxMessageBytes counts for the next request, whole or in pieces', async () => {
  await using stage = await Stage.start()
  await save(stage, { settings: { maxMessageBytes: 10 } })
  const tooLong = { toTeam: 'backend', message: 'eleven bytes' }
  expect(await refusal(stage.iris, 'send_message', tooLong)).toMatchObject({ code: 'message_too_long' })
  const { port, token } = stage.iris
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: new Blob(['x'.repeat(40_000_000)]).stream(),
    duplex: 'half',
  })
  expect(response.status).toBe(413)
})

test('what only a start can change is said in the event, and stays as it is', async () => {
  await using stage = await Stage.start()
  const { port } = stage.iris
  stage.iris.world.writeConfig({ settings: { httpPort: 1, maxProcesses: 2 } })
  expect(await stage.iris.event('config-reloaded')).toMatchObject({
    keys: ['settings.httpPort', 'settings.maxProcesses'],
    needsRestart: ['settings.httpPort'],
  })
  expect(await callTool(stage.iris, 'team_status')).toMatchObject({ pool: { maxProcesses: 2 } })
  expect(stage.iris.port).toBe(port)
})

test('the log takes another level, says what is in force, what needs a restart and what is wrong', async () => {
  await using world = await createWorld()
  await using daemon = await DaemonProcess.start(world)
  world.writeConfig({ settings: { logLevel: 'info', httpPort: 1 } })
  await eventually(() => daemon.log.includes('restart Iris (iris restart) for'), 'the restart is said')
  expect(daemon.log).toContain('config.yaml reloaded')
  expect(daemon.log).toContain('settings.httpPort')
  world.writeConfig({ settings: { logLevel: 'loud' } })
  await eventually(() => daemon.log.includes('debug, info, warn or error'), 'the mistake is said')
  expect(daemon.log).toContain('config.yaml rejected, the previous one stays in use')
})
