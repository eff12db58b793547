import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Output } from '../../src/adapters/client/tool-call.ts'
import { aboutEntry } from '../../src/features/cluster/host-entry.ts'
import type { HostEntry } from '../../src/features/cluster/ports.ts'
import { Seal } from '../../src/features/cluster/seal.ts'
import { signJson } from '../../src/features/cluster/signed-json.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { type JoinedIris, joinedIris, offersTo } from '../support/joined-iris.ts'
import { NatsServer } from '../support/nats.ts'
import { asOwner } from '../support/owner.ts'
import { runCommand } from '../support/run-command.ts'

let server: NatsServer
let laptop: JoinedIris
let studio: JoinedIris
let wire: NatsConnection
let entries: KV
const evil = new Seal(Seal.make())

beforeAll(async () => {
  server = await NatsServer.start()
  laptop = await joinedIris(server, 'laptop', { teams: ['frontend'] })
  studio = await joinedIris(server, 'studio', {
    teams: [{ name: 'backend', hosts: ['studio', 'tower'] }],
    script: (file) => ({
      rules: [
        {
          when: 'Hold',
          steps: [{ partial: 'So far so good' }, { waitForFile: file('go') }, { text: 'Done at last.' }],
        },
        { steps: [{ text: 'Done by studio.' }] },
      ],
    }),
  })
  wire = await connect({ servers: server.url })
  entries = await new Kvm(jetstream(wire)).open('iris_hosts')
  await offersTo(laptop.iris, 'backend@studio')
})

afterAll(async () => {
  await wire.close()
  for (const each of [laptop, studio, server]) await each[Symbol.asyncDispose]()
})

type Status = Output<'cluster_status'>
const status = async () => (await asOwner(laptop.iris, 'cluster_status')) as Status
const hostNamed = async (name: string) => (await status()).hosts.find((host) => host.name === name)
const refusedOf = async (name: string): Promise<number> =>
  (await status()).refused.find(({ host }) => host === name)?.count ?? 0

/** Resolves when laptop has read what is done here: an announcement after it, which nobody can believe. */
async function read(write: () => Promise<unknown>): Promise<void> {
  const before = await refusedOf('nonsense')
  await write()
  await entries.put('nonsense', 'no JSON')
  await eventually(async () => (await refusedOf('nonsense')) > before, 'laptop has read it')
}

test('who repeats the announcement of a host with another host of its team gets no message, in a known conversation neither', async () => {
  const manager = await jetstreamManager(wire)
  await manager.streams.add({ name: 'IRIS_evil', subjects: ['iris.mail.evil.>'] })
  const known = { thread: 'known' }
  expect(await ask(laptop.iris, 'backend@studio', 'Hello', known)).toMatchObject({ response: 'Done by studio.' })
  const text = (await entries.get('studio'))!.string()
  const own = JSON.parse(text) as HostEntry
  const teams = [{ name: 'backend', hosts: ['studio', 'evil'] }]
  const load = { turns: 0, processes: 0, freeMiB: 1e9 }
  const later = { ...own, teams, count: own.count! + 3_600_000, leaseMs: 3_600_000 }
  const evils = signJson(JSON.stringify({ ...later, load, key: evil.publicKey }), aboutEntry('evil'), evil)
  const forged = [
    text.replace(/"teams":.*?\}\]/, `"teams":${JSON.stringify(teams)}`),
    signJson(JSON.stringify(later), aboutEntry('studio'), evil),
    JSON.stringify({ ...own, wire: 2, teams, count: undefined }),
  ]
  for (const [n, entry] of forged.entries()) {
    await read(async () => {
      await entries.put('evil', evils)
      await entries.put('studio', entry)
    })
    // A new conversation goes where the least is to do, a known one stays.
    const more = n === 0 ? known : { thread: `new-${n}` }
    expect(await ask(laptop.iris, 'backend@studio', 'And?', more)).toMatchObject({ response: 'Done by studio.' })
  }
  expect(await hostNamed('evil')).toMatchObject({ state: 'awake', teams: ['backend'] })
  expect((await manager.streams.info('IRIS_evil')).state.messages).toBe(0)
  expect(await refusedOf('studio')).toBeGreaterThanOrEqual(forged.length)
  const said = (await runCommand(laptop.iris.world, ['cluster', 'status'])).stdout
  expect(said).toMatch(/studio: refused or cut, \d+ times: /)
})

test('a removed announcement says nothing: only what its host has signed makes it leave', async () => {
  await read(() => entries.delete('studio'))
  expect(await hostNamed('studio')).toMatchObject({ teams: ['backend'] })
})

test('a line of a running turn that its host has not signed is not shown', async () => {
  const message = { toTeam: 'backend@studio', message: 'Hold on', thread: 'live', timeout: -1 }
  const { turnId } = await callTool(laptop.iris, 'send_message', message)
  const partial = async () => (await callTool(laptop.iris, 'message_status', { turnId }))['partialResponse']
  await eventually(async () => (await partial()) === 'So far so good', 'its lines come over')
  const before = await refusedOf('studio')
  const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ' FORGED' } }
  const line = { type: 'stream_event', event: delta, session_id: 's', parent_tool_use_id: null, uuid: 'u' }
  for (let n = 0; n < 20; n++)
    wire.publish('iris.live.laptop.studio', JSON.stringify({ turn: turnId, n, lines: [line] }))
  await eventually(async () => (await refusedOf('studio')) >= before + 20, 'they are refused')
  expect(await partial()).toBe('So far so good')
  studio.claude.open('go')
  const ended = await callTool(laptop.iris, 'message_status', { turnId, timeout: 0 })
  expect(ended).toMatchObject({ status: 'completed', response: 'So far so goodDone at last.' })
})

test('a new host of a team is in the audit and shown as new, once it and the others name each other', async () => {
  const joined = () =>
    laptop.iris.rows(`SELECT subject, detail FROM audit WHERE action = 'host.joined' ORDER BY subject`)
  expect(joined()).toEqual([])
  await using _tower = await joinedIris(server, 'tower', { teams: [{ name: 'backend', hosts: ['studio', 'tower'] }] })
  await eventually(async () => (await hostNamed('tower'))?.newIn.length === 1, 'tower is new')
  expect(joined()).toEqual([
    { subject: 'backend@studio', detail: '{"host":"tower"}' },
    { subject: 'backend@tower', detail: '{"host":"studio"}' },
  ])
  const said = (await runCommand(laptop.iris.world, ['cluster', 'status'])).stdout
  expect(said).toContain('  new in    backend@studio, for less than a week')
})

test('a host with an older Iris, which signs nothing, is named with what to do', async () => {
  const teams = [{ name: 'past', hosts: ['studio', 'earlier'] }]
  const entry = { wire: 2, version: '0.0.9', key: 'older', teams, leaseMs: 3_600_000 }
  await read(() => entries.put('earlier', JSON.stringify(entry)))
  expect(await hostNamed('earlier')).toMatchObject({ state: 'awake', signs: false })
  expect((await runCommand(laptop.iris.world, ['cluster', 'status'])).stdout).toContain(
    '  upgrade   its Iris does not sign',
  )
})
