import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../src/base/lib/clock.ts'
import { wireVersion } from '../../src/features/cluster/letters.ts'
import { Seal } from '../../src/features/cluster/seal.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { CutLink } from '../support/cut-link.ts'
import { eventually } from '../support/eventually.ts'
import { type JoinedIris, joinedIris, offersTo } from '../support/joined-iris.ts'
import { NatsServer } from '../support/nats.ts'
import { deliveredUuids, effects } from '../support/oracle.ts'
import { asOwner } from '../support/owner.ts'

// The clock of studio is an hour ahead in all of these tests, and the team "pair" lives on studio and on tower.
let server: NatsServer
let studiosLink: CutLink
let laptopsLink: CutLink
let laptop: JoinedIris
let studio: JoinedIris
let tower: JoinedIris
let wire: NatsConnection

const hourMs = 3_600_000

beforeAll(async () => {
  server = await NatsServer.start('write_deadline: "1s"\nmax_pending: 1MB')
  studiosLink = await CutLink.to(server.port)
  laptopsLink = await CutLink.to(server.port)
  const clock = { ...systemClock, now: () => systemClock.now() + hourMs }
  const shared = { name: 'pair', hosts: ['studio', 'tower'] }
  laptop = await joinedIris(server, 'laptop', { teams: ['frontend'], cluster: { servers: laptopsLink.url } })
  studio = await joinedIris(server, 'studio', {
    teams: ['backend', { ...shared, grantPermission: 'ask' }],
    cluster: { servers: studiosLink.url },
    clock,
    script: (file) => ({
      rules: [
        ...['hold on', 'be taken', 'stop later'].map((when) => held(when, file)),
        { when: 'at length', steps: [{ text: 'x'.repeat(1_100_000) }] },
        { when: 'may ask', steps: [{ tool: asking(file) }, { text: 'Done by studio.' }] },
        { steps: [{ text: 'Done by studio.' }] },
      ],
    }),
  })
  tower = await joinedIris(server, 'tower', {
    teams: [shared],
    script: { rules: [{ steps: [{ text: 'Done by tower.' }] }] },
  })
  wire = await connect({ servers: server.url })
  for (const team of ['backend@studio', 'pair@studio', 'pair@tower']) await offersTo(laptop.iris, team)
})

afterAll(async () => {
  await wire.close()
  for (const each of [laptop, studio, tower, studiosLink, laptopsLink, server]) await each[Symbol.asyncDispose]()
})

/** Two tools, of which the first one waits for the file of that name. */
function held(when: string, file: (name: string) => string) {
  const effect = (line: string) => ({ appendFile: { path: file('effect'), line } })
  const first = { tool: { name: 'Read', during: [effect(`${when}: first`), { waitForFile: file(when) }] } }
  const second = { tool: { name: 'Read', during: [effect(`${when}: second`)] } }
  return { when, steps: [first, second, { text: 'Done by studio.' }] }
}

/** A tool that a person must allow. */
function asking(file: (name: string) => string) {
  return {
    name: 'Bash',
    input: { command: 'make' },
    during: [{ appendFile: { path: file('effect'), line: 'may ask' } }],
  }
}

function linesOf(when: string): string[] {
  return effects(studio.claude.oracle()).flatMap(({ line }) => (line.startsWith(when) ? [line] : []))
}

async function asked(toTeam: string, message: string, thread = 'main'): Promise<string> {
  const { turnId } = await callTool(laptop.iris, 'send_message', { toTeam, message, thread, timeout: -1 })
  return String(turnId)
}

const endOf = (turnId: string) => callTool(laptop.iris, 'message_status', { turnId, timeout: 0 })
const timesRun = (turnId: string): number =>
  [studio, tower].flatMap(({ claude }) => deliveredUuids(claude.oracle())).filter((uuid) => uuid === turnId).length

test('a clock that is an hour ahead changes nothing: awake, answered, once', async () => {
  const { turnId, status } = await ask(laptop.iris, 'backend@studio', 'What time is it?')
  expect({ status, times: timesRun(turnId) }).toEqual({ status: 'completed', times: 1 })
  const { host } = (await offersTo(laptop.iris, 'backend@studio'))['config'] as { host: string }
  expect(host).toBe('studio')
})

test('letters that cannot be read do not stay in the mailbox, where they would take the room of others', async () => {
  const seal = new Seal(readFileSync(join(laptop.iris.world.home, 'data/cluster.key'), 'utf8'))
  const turn = '00000000-0000-4000-8000-00000000000c'
  for (const kind of ['settled', 'moved', 'cancel'] as const) {
    const sealed = seal.seal('laptop', 'studio', { turn, kind, text: '{}' })
    await jetstream(wire).publish(`iris.mail.studio.laptop.${turn}.${kind}`, sealed)
  }
  const manager = await jetstreamManager(wire)
  const left = async () => {
    const { num_pending: waiting, num_ack_pending: held } = await manager.consumers.info('IRIS_studio', 'iris')
    return waiting + held
  }
  await eventually(async () => (await left()) === 0, 'nothing is left')
})

test('a full mailbox refuses, and what was sent meanwhile is answered once there is room', async () => {
  const manager = await jetstreamManager(wire)
  const { config } = await manager.streams.info('IRIS_studio')
  await manager.streams.update('IRIS_studio', { ...config, max_bytes: 1 })
  const turnId = await asked('backend@studio', 'For later.', 'full')
  const sql = `SELECT state FROM turns WHERE id = '${turnId}' AND state = 'dispatched'`
  await eventually(() => laptop.iris.rows(sql).length === 1, 'it is handed over')
  expect(timesRun(turnId)).toBe(0)
  await manager.streams.update('IRIS_studio', config)
  expect(await endOf(turnId)).toMatchObject({ status: 'completed' })
  expect(timesRun(turnId)).toBe(1)
})

test('a full log of a conversation: nothing runs that the log does not know of, and it goes on once there is room', async () => {
  await ask(laptop.iris, 'pair@studio', 'Begin.', { thread: 'full-log' })
  const manager = await jetstreamManager(wire)
  const { config } = await manager.streams.info('IRIS_LOG_pair')
  await manager.streams.update('IRIS_LOG_pair', { ...config, max_msgs: 1 })
  const turnId = await asked('pair@studio', 'For later.', 'full-log')
  const here = `SELECT 1 FROM turns WHERE id = '${turnId}'`
  await eventually(() => [studio, tower].some(({ iris }) => iris.rows(here).length === 1), 'a host has it')
  expect(timesRun(turnId)).toBe(0)
  await manager.streams.update('IRIS_LOG_pair', config)
  expect(await endOf(turnId)).toMatchObject({ status: 'completed' })
  expect(timesRun(turnId)).toBe(1)
})

test('a host that the server cuts off as a slow consumer comes back, and gets its answers', {
  tags: ['thorough'],
}, async () => {
  laptopsLink.cut()
  // More than the server keeps for a client.
  for (let count = 0; count < 64; count++) wire.publish('iris.live.laptop.studio', Buffer.alloc(512 * 1024))
  await wire.flush()
  const turnId = await asked('backend@studio', 'While you are flooded.', 'slow')
  await eventually(() => /slow consumer/i.test(server.said), 'the server cuts it off')
  laptopsLink.heal()
  expect(await endOf(turnId)).toMatchObject({ status: 'completed' })
  expect(timesRun(turnId)).toBe(1)
})

test('a partition in which both sides live: the answer comes after it, once', async () => {
  const turnId = await asked('backend@studio', 'Please hold on', 'cut')
  await eventually(() => linesOf('hold on').length === 1, 'studio is at work')
  studiosLink.cut()
  studio.claude.open('hold on')
  const sql = `SELECT outcome FROM turns WHERE id = '${turnId}' AND outcome = 'completed'`
  await eventually(() => studio.iris.rows(sql).length === 1, 'studio has answered')
  expect(laptop.iris.rows(sql)).toEqual([])
  studiosLink.heal()
  expect(await endOf(turnId)).toMatchObject({ status: 'completed', response: expect.stringContaining('studio') })
  expect(timesRun(turnId)).toBe(1)
})

test('a cancel while the asker has no way to the servers ends the work on the other host once there is one', async () => {
  const turnId = await asked('backend@studio', 'Please stop later', 'cancelled')
  await eventually(() => linesOf('stop later').length === 1, 'studio is at work')
  laptopsLink.cut()
  await callTool(laptop.iris, 'session_cancel', { turnId })
  expect(await endOf(turnId)).toMatchObject({ status: 'cancelled' })
  const sql = `SELECT outcome FROM turns WHERE id = '${turnId}' AND outcome IS NOT NULL`
  expect(studio.iris.rows(sql)).toEqual([])
  laptopsLink.heal()
  await eventually(() => studio.iris.rows(sql).length === 1, 'studio has ended it')
  expect(studio.iris.rows(sql)).toEqual([{ outcome: 'cancelled' }])
  await eventually(() => laptop.iris.rows('SELECT 1 FROM cluster_cancels').length === 0, 'it is confirmed')
})

test('an ask that is too far from the first one is refused, counted over hosts', async () => {
  const seal = new Seal(readFileSync(join(laptop.iris.world.home, 'data/cluster.key'), 'utf8'))
  const turn = '00000000-0000-4000-8000-00000000000d'
  const letter = { wire: 1, from: 'frontend', to: 'backend', thread: 'far', message: 'Hello', waits: false, hop: 9 }
  const text = JSON.stringify({ ...letter, chain: ['web@tower', 'frontend@laptop'] })
  const sealed = seal.seal('laptop', 'studio', { turn, kind: 'ask', text })
  await jetstream(wire).publish(`iris.mail.studio.laptop.${turn}.ask`, sealed)
  const refusal = `SELECT refusal FROM cluster_asks WHERE turn = '${turn}'`
  await eventually(() => studio.iris.rows(refusal).length === 1, 'it is refused')
  expect(JSON.stringify(studio.iris.rows(refusal))).toContain('at most 8 are allowed')
})

/** Resolves when laptop knows of it, and that studio is there. */
async function drainTower(drained: boolean): Promise<void> {
  await asOwner(tower.iris, 'drain_host', { drained })
  await eventually(async () => {
    const { hosts } = (await asOwner(laptop.iris, 'cluster_status')) as { hosts: Record<string, unknown>[] }
    const [one, two] = ['studio', 'tower'].map((host) => hosts.find(({ name }) => name === host))
    return one?.['state'] === 'awake' && two?.['drained'] === drained
  }, 'laptop knows of it')
}

test('in a partition another host takes the conversation, and the one that was cut off does nothing more', async () => {
  await drainTower(true)
  const turnId = await asked('pair@tower', 'This will be taken', 'taken')
  await eventually(() => linesOf('be taken').length === 1, 'studio is at work, since tower takes nothing new')
  await drainTower(false)
  studiosLink.cut()
  expect(await endOf(turnId)).toMatchObject({ status: 'completed', response: expect.stringContaining('tower') })
  // Its second tool asks the log, and waits for an answer until the link is there again.
  studio.claude.open('be taken')
  studiosLink.heal()
  const sql = `SELECT outcome FROM turns WHERE id = '${turnId}'`
  await eventually(() => studio.iris.rows(`${sql} AND outcome = 'cancelled'`).length === 1, 'it has ended at studio')
  expect(tower.iris.rows(sql)).toEqual([{ outcome: 'completed' }])
  expect(linesOf('be taken')).toEqual(['be taken: first'])
})

test('a person allows a tool after another host has taken the conversation: it does not run', {
  tags: ['thorough'],
}, async () => {
  await drainTower(true)
  const turnId = await asked('pair@tower', 'You may ask', 'asks')
  const open = async () => {
    const { permissions } = (await asOwner(studio.iris, 'list_permissions')) as {
      permissions: { permissionId: string }[]
    }
    return permissions[0]?.permissionId
  }
  const permissionId = await eventually(open, 'studio asks a person')
  await drainTower(false)
  studiosLink.cut()
  expect(await endOf(turnId)).toMatchObject({ status: 'completed', response: expect.stringContaining('tower') })
  studiosLink.heal()
  await asOwner(studio.iris, 'answer_permission', { permissionId, decision: 'allow' })
  const cancelled = `SELECT outcome FROM turns WHERE id = '${turnId}' AND outcome = 'cancelled'`
  await eventually(() => studio.iris.rows(cancelled).length === 1, 'it has ended at studio')
  expect(linesOf('may ask')).toEqual([])
})

test('of an answer that is too long for the servers its beginning comes, also in a conversation of several hosts', {
  tags: ['thorough'],
}, async () => {
  await drainTower(true)
  const turnId = await asked('pair@tower', 'Say it at length', 'long')
  expect(await endOf(turnId)).toMatchObject({
    status: 'completed',
    response: expect.stringMatching(/^x+\n\n\[Iris: .* Iris at studio has all of it/),
  })
  await drainTower(false)
})

test('a host that announces nonsense troubles nobody', async () => {
  for (const entry of ['no JSON', '5', '{"teams":5}']) await jetstream(wire).publish('$KV.iris_hosts.evil', entry)
  // Announcements are read in order: this one comes after the others.
  await drainTower(true)
  await drainTower(false)
  expect(await ask(laptop.iris, 'backend@studio', 'Are you there?')).toMatchObject({ status: 'completed' })
  const { hosts, refused } = await asOwner(laptop.iris, 'cluster_status')
  expect(JSON.stringify(hosts)).not.toContain('evil')
  const why = 'its announcement cannot be read, or is out of bounds'
  expect(refused).toMatchObject([{ host: 'evil', count: 3, why }])
})

test('a host of a later version: what this one does not know passes, what it cannot read is refused with the reason', async () => {
  const seal = new Seal(readFileSync(join(laptop.iris.world.home, 'data/cluster.key'), 'utf8'))
  const send = async (turn: string, more: object): Promise<void> => {
    const letter = { wire: 1, from: 'frontend', to: 'backend', thread: 'later', message: 'Hello', waits: false, hop: 1 }
    const text = JSON.stringify({ ...letter, chain: [], ...more })
    const sealed = seal.seal('laptop', 'studio', { turn, kind: 'ask', text })
    await jetstream(wire).publish(`iris.mail.studio.laptop.${turn}.ask`, sealed)
  }
  const [known, later] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b']
  await send(known, { mood: 'a field of a later version' })
  await send(later, { wire: wireVersion + 1 })
  const refusal = `SELECT refusal FROM cluster_asks WHERE turn = '${later}'`
  await eventually(() => studio.iris.rows(refusal).length === 1, 'the later one is refused')
  expect(JSON.stringify(studio.iris.rows(refusal))).toContain('runs an older Iris')
  await eventually(
    () => studio.iris.rows(`SELECT outcome FROM turns WHERE id = '${known}' AND outcome = 'completed'`).length === 1,
    'the known one is answered',
  )
})
