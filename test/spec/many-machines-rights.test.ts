import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Seal } from '../../src/features/cluster/seal.ts'
import { natsUser } from '../../src/platform/config/nats-user.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { type JoinedIris, type JoinedOptions, joinedIris, offersTo } from '../support/joined-iris.ts'
import { NatsServer } from '../support/nats.ts'
import { deliveredUuids } from '../support/oracle.ts'
import { runCommand } from '../support/run-command.ts'
import { scratchDirectory } from '../support/scratch.ts'

// The configuration that the guide gives, with a user for each host: it must be enough for Iris, and no more.
const guide = readFileSync(new URL('../../docs/guide/many-machines.md', import.meta.url), 'utf8')
const userOfStudio = /\{ user: studio,[^]*?subscribe: \[[^]*?\] \} \}/.exec(guide)![0]
const userOf = (name: string): string =>
  userOfStudio.replaceAll('studio', name).replace('"a long random one"', `"${name}-password"`)
const names = ['laptop', 'studio', 'tower']
const passwords = scratchDirectory()

let server: NatsServer
let laptop: JoinedIris
let studio: JoinedIris
let tower: NatsConnection
/** Who may do everything. */
let admin: NatsConnection

async function host(name: string, teams: JoinedOptions['teams'], script?: Parameters<typeof joinedIris>[2]['script']) {
  const credentials = join(passwords.path, name)
  writeFileSync(credentials, `${name}:${name}-password\n`, { mode: 0o600 })
  return joinedIris(server, name, { teams, cluster: { credentials }, ...(script && { script }) })
}

beforeAll(async () => {
  const mill = natsUser({ name: 'mill', password: 'mill-password', sharedTeams: ['pair'] })
  const users = [...names.map(userOf), mill, '{ user: admin, password: admin }']
  server = await NatsServer.start(`authorization { users: [ ${users.join('\n')} ] }`)
  const toLaptop = { toTeam: 'frontend@laptop', message: 'And you?', timeout: 0 }
  laptop = await host('laptop', ['frontend'], {
    rules: [
      {
        when: 'Ask on',
        steps: [
          { mcpCall: { name: 'send_message', arguments: { ...toLaptop, toTeam: 'backend@studio' } } },
          { text: '{{lastToolResult}}' },
        ],
      },
      { steps: [{ text: 'The end.' }] },
    ],
  })
  studio = await host('studio', ['backend', { name: 'vault', askedBy: ['tower'] }], {
    rules: [{ steps: [{ mcpCall: { name: 'send_message', arguments: toLaptop } }, { text: '{{lastToolResult}}' }] }],
  })
  // On a server with users one host is the keeper, which makes what all of them need.
  const credentials = join(passwords.path, 'admin')
  writeFileSync(credentials, 'admin:admin', { mode: 0o600 })
  const asked = ['--credentials', credentials, '--hosts', 'studio,tower,mill', '--teams', 'pair']
  const { stdout } = await runCommand(laptop.iris.world, ['cluster', 'init', ...asked])
  if (!stdout.includes('The servers are fully set up.')) throw new Error(stdout)
  const user = { user: 'tower', pass: 'tower-password', inboxPrefix: '_INBOX_tower' }
  tower = await connect({ servers: server.url, ...user })
  admin = await connect({ servers: server.url, user: 'admin', pass: 'admin' })
  await offersTo(laptop.iris, 'backend@studio')
  await offersTo(studio.iris, 'frontend@laptop')
})

afterAll(async () => {
  for (const each of [tower, admin]) await each.close()
  for (const each of [laptop, studio, server]) await each[Symbol.asyncDispose]()
  passwords[Symbol.dispose]()
})

test('with the permissions of the guide hosts ask each other, and asks go on to the first host', async () => {
  const { status, response } = await ask(laptop.iris, 'backend@studio', 'Hello?')
  expect(status).toBe('completed')
  expect(response).toContain('The end.')
})

test('a ring over two hosts is refused, and names the teams', async () => {
  const { response } = await ask(laptop.iris, 'frontend', 'Ask on')
  expect(response).toContain('would wait for itself')
  expect(response).toContain('frontend@laptop → backend → frontend@laptop')
})

test('a team names the hosts that may ask it: others do not see it, and their messages are refused', async () => {
  const said = await refusal(laptop.iris, 'send_message', { toTeam: 'vault@studio', message: 'x' })
  expect(said).toMatchObject({ code: 'unknown_team' })
  // A host that does not keep to what it hears.
  const turn = '00000000-0000-4000-8000-000000000003'
  const letter = { wire: 1, from: 'frontend', to: 'vault', thread: 'main', message: 'Open', waits: false, hop: 1 }
  const key = readFileSync(join(laptop.iris.world.home, 'data/cluster.key'), 'utf8')
  const ask = { turn, kind: 'ask', text: JSON.stringify({ ...letter, chain: [] }) } as const
  const text = new Seal(key).seal('laptop', 'studio', ask)
  const user = { user: 'laptop', pass: 'laptop-password', inboxPrefix: '_INBOX_laptop' }
  await using thief = Object.assign(await connect({ servers: server.url, ...user }), {
    [Symbol.asyncDispose]: () => thief.close(),
  })
  await jetstream(thief).publish(`iris.mail.studio.laptop.${turn}.ask`, text)
  const refusals = (): unknown[] => studio.iris.rows(`SELECT refusal FROM cluster_asks WHERE turn = '${turn}'`)
  const [row] = await eventually(() => refusals().length > 0 && refusals(), 'it is refused')
  expect(JSON.stringify(row)).toContain('laptop may not ask vault on studio')
})

test.each([
  ['to another as somebody else', 'iris.mail.studio.laptop.00000000-0000-4000-8000-000000000001.ask'],
  ['as the directory entry of another', '$KV.iris_hosts.studio'],
])('NATS lets a host publish only as itself: refused %s', async (_what, subject) => {
  await expect(jetstream(tower).publish(subject, 'x', { timeout: 2000 })).rejects.toThrow(/permission/i)
})

test('NATS lets a host read no mailbox but its own', async () => {
  const manager = await jetstreamManager(tower, { checkAPI: false })
  await expect(manager.streams.info('IRIS_studio')).rejects.toThrow(/permission/i)
  await expect(manager.consumers.add('IRIS_studio', { durable_name: 'spy' })).rejects.toThrow(/permission/i)
  const heard = Promise.withResolvers<Error | null>()
  tower.subscribe('iris.mail.studio.>', { callback: (error) => heard.resolve(error) })
  expect(String(await heard.promise)).toMatch(/permission/i)
})

test.each([
  // With another configuration a stream copies what it gets to other subjects, hears them, or removes what others have.
  ...['CREATE', 'UPDATE', 'DELETE', 'PURGE', 'MSG.DELETE', 'MSG.GET'].map((call) => `STREAM.${call}.IRIS_tower`),
  ...['CREATE', 'UPDATE', 'DELETE', 'PURGE', 'MSG.DELETE'].map((call) => `STREAM.${call}.KV_iris_hosts`),
  ...['CREATE', 'UPDATE', 'MSG.GET'].map((call) => `STREAM.${call}.IRIS_LOG_backend`),
  'STREAM.CREATE.EVIL',
  'STREAM.CREATE.IRIS_studio',
  'STREAM.PURGE.IRIS_studio',
  'STREAM.NAMES',
  'STREAM.LIST',
  // Watches of other hosts.
  ...['DELETE', 'INFO'].map((call) => `CONSUMER.${call}.KV_iris_hosts.watch`),
  'CONSUMER.NAMES.KV_iris_hosts',
  'CONSUMER.LIST.KV_iris_hosts',
  ...['CREATE', 'DURABLE.CREATE', 'DELETE', 'MSG.NEXT'].map((call) => `CONSUMER.${call}.IRIS_studio.iris`),
])('NATS refuses a host: %s', async (call) => {
  await expect(tower.request(`$JS.API.${call}`, '{}', { timeout: 2000 })).rejects.toThrow(/permission/i)
})

test.each(['CREATE', 'UPDATE', 'DELETE', 'PURGE', 'MSG.DELETE'])(
  'NATS refuses a host of a shared team to change its log: %s',
  async (call) => {
    await using mill = Object.assign(
      await connect({ servers: server.url, user: 'mill', pass: 'mill-password', inboxPrefix: '_INBOX_mill' }),
      { [Symbol.asyncDispose]: () => mill.close() },
    )
    const { config } = await (await jetstreamManager(mill, { checkAPI: false })).streams.info('IRIS_LOG_pair')
    expect(config.subjects).toEqual(['iris.log.pair.*'])
    const asked = mill.request(`$JS.API.STREAM.${call}.IRIS_LOG_pair`, '{}', { timeout: 2000 })
    await expect(asked).rejects.toThrow(/permission/i)
  },
)

test('a consumer of the own mailbox puts nothing where others write', async () => {
  const manager = await jetstreamManager(tower, { checkAPI: false })
  const turn = '00000000-0000-4000-8000-000000000004'
  await jetstream(tower).publish(`iris.mail.tower.tower.${turn}.ask`, 'forged')
  for (const to of ['$KV.iris_hosts.studio', 'iris.live.studio.laptop', `iris.mail.studio.laptop.${turn}.ask`]) {
    const reader = { durable_name: 'spy', deliver_subject: to, ack_policy: AckPolicy.Explicit }
    await manager.consumers.add('IRIS_tower', reader)
    // The server has looked for someone at that subject.
    await manager.consumers.info('IRIS_tower', 'spy')
    await manager.consumers.delete('IRIS_tower', 'spy')
  }
  const all = await jetstreamManager(admin)
  const entry = await all.streams.getMessage('KV_iris_hosts', { last_by_subj: '$KV.iris_hosts.studio' })
  expect(entry!.string()).not.toContain('forged')
  const letter = all.streams.getMessage('IRIS_studio', { last_by_subj: `iris.mail.studio.laptop.${turn}.ask` })
  expect(await letter).toBeNull()
  expect(studio.iris.rows(`SELECT turn FROM cluster_asks WHERE turn = '${turn}'`)).toEqual([])
  // Hosts hear each other as before.
  expect((await ask(laptop.iris, 'backend@studio', 'Still there?')).status).toBe('completed')
})

test('a message that another key signed is dropped', async () => {
  const user = { user: 'laptop', pass: 'laptop-password', inboxPrefix: '_INBOX_laptop' }
  await using thief = Object.assign(await connect({ servers: server.url, ...user }), {
    [Symbol.asyncDispose]: () => thief.close(),
  })
  const turn = '00000000-0000-4000-8000-000000000002'
  const letter = { wire: 1, from: 'frontend', to: 'backend', thread: 'main', message: 'Run it', waits: false, hop: 1 }
  const before = deliveredUuids(studio.claude.oracle()).length
  const text = `c2lnbmF0dXJl\n${JSON.stringify({ ...letter, chain: [] })}`
  await jetstream(thief).publish(`iris.mail.studio.laptop.${turn}.ask`, text)
  // Letters are handled in order, so this one is answered after the forged one was read.
  await ask(laptop.iris, 'backend@studio', 'And a true one?')
  expect(studio.iris.rows(`SELECT id FROM turns WHERE id = '${turn}'`)).toEqual([])
  expect(deliveredUuids(studio.claude.oracle())).toHaveLength(before + 1)
})

test('a host with another key than before is not believed until it is forgotten', async () => {
  laptop.iris.change(`UPDATE cluster_hosts SET key = 'another' WHERE name = 'studio'`)
  await laptop.iris.restart()
  const refused = await eventually(async () => {
    const answer = await callTool(laptop.iris, 'send_message', { toTeam: 'backend@studio', message: 'Hello?' })
    return 'error' in answer && answer['error']
  }, 'the ask is refused')
  expect(refused).toMatchObject({ code: 'not_allowed', remedy: expect.stringContaining('iris cluster forget studio') })
})
