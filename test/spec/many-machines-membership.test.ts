import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aboutEntry } from '../../src/features/cluster/host-entry.ts'
import { Seal } from '../../src/features/cluster/seal.ts'
import { signJson } from '../../src/features/cluster/signed-json.ts'
import { natsUser } from '../../src/platform/config/nats-user.ts'
import { refusal } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { type JoinedIris, joinedIris, offersTo } from '../support/joined-iris.ts'
import { NatsServer } from '../support/nats.ts'
import { asOwner } from '../support/owner.ts'
import { Program } from '../support/program.ts'
import { runCommand } from '../support/run-command.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { createWorld, type World } from '../support/world.ts'

let server: NatsServer
/** The server, at an address by which other machines could reach it. It has no users. */
let openUrl: string
let laptop: JoinedIris
let studio: JoinedIris
let tower: World
const scratch = scratchDirectory()

beforeAll(async () => {
  server = await NatsServer.start()
  openUrl = server.url.replace('127.0.0.1', '0.0.0.0')
  const both = { name: 'both', hosts: ['laptop', 'studio'] }
  laptop = await joinedIris(server, 'laptop', {
    teams: ['frontend', { name: 'pair', hosts: ['laptop', 'tower'] }, both],
    cluster: { servers: openUrl },
  })
  studio = await joinedIris(server, 'studio', { teams: ['backend', both] })
  tower = await createWorld({ claude: 'fake', teams: ['mobile'] })
  await offersTo(laptop.iris, 'backend@studio')
})

afterAll(async () => {
  for (const each of [laptop, studio, tower, server]) await each[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

/** The command with the home of that host. */
async function iris(world: World, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(world, words, { cwd: scratch.path })
  return code === 0 ? stdout : `${code}: ${stderr}`
}

test('an invitation is a file for its owner alone; joining takes it over, and removes it', async () => {
  const said = await iris(laptop.iris.world, 'cluster', 'invite', 'tower')
  const file = join(scratch.path, 'tower.iris-invite')
  const { password, ...invitation } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  // The keys of the hosts, by which nobody else can be first; the inviting one is the first.
  const keyOf = (host: JoinedIris): string =>
    new Seal(readFileSync(join(host.iris.world.home, 'data/cluster.key'), 'utf8')).publicKey
  const hosts = [
    { name: 'laptop', key: keyOf(laptop), signs: true },
    { name: 'studio', key: keyOf(studio), signs: true },
  ]
  expect(invitation).toEqual({ servers: [openUrl], name: 'tower', user: 'tower', hosts })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  // The user has the rights of the guide, and those for the team that both have.
  expect(said).toContain(natsUser({ name: 'tower', password: password!, sharedTeams: ['pair'] }))
  expect(said).toContain('iris.log.pair.*')
  // Once the server has users, the inviting host is one of the others.
  expect(said).toContain('iris cluster invite laptop')
  const refused = await iris(tower, 'cluster', 'join', file)
  expect(refused).toContain(`${openUrl} asks for no login: anyone who can reach its port can read messages`)
  expect(refused).toContain('add --without-users')
  expect([existsSync(file), readFileSync(join(tower.home, 'config.yaml'), 'utf8')]).toEqual([
    true,
    expect.not.stringContaining('cluster'),
  ])
  expect(await iris(tower, 'cluster', 'join', file, '--without-users')).toContain('This host is tower.')
  expect(JSON.parse(readFileSync(join(tower.home, 'data/invited-keys.json'), 'utf8'))).toEqual(hosts)
  expect(existsSync(file)).toBe(false)
  const credentials = join(tower.home, 'cluster.credentials')
  expect(readFileSync(credentials, 'utf8')).toBe(`tower:${password}\n`)
  expect(statSync(credentials).mode & 0o777).toBe(0o600)
  const config = readFileSync(join(tower.home, 'config.yaml'), 'utf8')
  expect(config).toContain('name: tower')
  expect(config).toContain(openUrl)
})

test('the user of an invitation is the one that the guide gives', () => {
  const guide = readFileSync(new URL('../../docs/guide/many-machines.md', import.meta.url), 'utf8')
  const inGuide = /\{ user: studio,[^]*?subscribe: \[[^]*?\] \} \}/.exec(guide)![0]
  const subjects = (text: string): string[] => [...text.matchAll(/"([^"]+)"/g)].map(([, subject]) => subject!).sort()
  const made = natsUser({ name: 'studio', password: 'a long random one', sharedTeams: [] })
  expect(subjects(made)).toEqual(subjects(inGuide))
})

test('a drained host takes no new conversation, and goes on with those it has', async () => {
  const known = { toTeam: 'backend@studio', message: 'Hello', timeout: 0, thread: 'known' }
  expect(await laptopAsks(known)).toMatchObject({ status: 'completed' })
  expect(await asOwner(studio.iris, 'drain_host')).toMatchObject({ drained: true })
  expect(await laptopAsks(known)).toMatchObject({ status: 'completed' })
  expect(await laptopAsks({ ...known, thread: 'new' })).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('takes no new conversations'),
  })
  // It passes none on to the host that asks.
  expect(await laptopAsks({ ...known, toTeam: 'both@studio' })).toMatchObject({ status: 'completed' })
  await asOwner(studio.iris, 'drain_host', { drained: false })
  expect(await laptopAsks({ ...known, thread: 'newer' })).toMatchObject({ status: 'completed' })
})

test('the doctor checks the server, and says with the status that it has no users', async () => {
  const { home, env } = laptop.iris.world
  const options = { cwd: scratch.path, env: { ...env, IRIS_HOME: home } }
  const { stdout } = await new Program(['doctor', '--json'], options).ended
  const { findings } = JSON.parse(stdout) as { findings: Record<string, string>[] }
  const [found] = findings.filter(({ check }) => check === 'cluster')
  expect(found).toMatchObject({ state: 'warn', remedy: expect.stringContaining('iris cluster invite') })
  expect(found?.['detail']).toContain(`the NATS server at ${openUrl}`)
  expect(found?.['detail']).toContain('asks for no login')
  expect(await iris(laptop.iris.world, 'cluster', 'status')).toContain('The server asks for no login')
  // One that only this machine reaches may be without users.
  expect(await iris(studio.iris.world, 'cluster', 'status')).not.toContain('The server asks for no login')
})

test('iris start --cluster says how to start a server where none answers', async () => {
  await using lonely = await createWorld({
    claude: 'fake',
    teams: ['mobile'],
    cluster: { servers: 'nats://127.0.0.1:1', name: 'lonely' },
  })
  const said = await iris(lonely, 'start', '--cluster')
  expect(said).toContain('No NATS server answers at nats://127.0.0.1:1')
  expect(said).toContain('apt install nats-server')
})

test('a host that leaves offers its teams no more, also when its settings change afterwards', async () => {
  // The last answer may be on its way.
  await asOwner(studio.iris, 'leave_cluster', { force: true })
  await asOwner(studio.iris, 'drain_host')
  // What it sends after that has come.
  const last = { fromTeam: 'backend', toTeam: 'frontend@laptop', message: 'Goodbye', timeout: 0 }
  expect(await asOwner(studio.iris, 'send_message', last)).toMatchObject({ status: 'completed' })
  const wire = await connect({ servers: server.url })
  const { streams } = await jetstreamManager(wire)
  const entry = await streams.getMessage('KV_iris_hosts', { last_by_subj: '$KV.iris_hosts.studio' })
  await wire.close()
  // It says so itself: anyone who can reach the server can remove an entry.
  expect(entry?.json()).toMatchObject({ left: true, teams: [], signature: expect.any(String) })
  await eventually(async () => {
    const { hosts } = (await asOwner(laptop.iris, 'cluster_status')) as { hosts: { teams: string[] }[] }
    return hosts.every(({ teams }) => teams.length === 0)
  }, 'it has left')
  expect(await refusal(laptop.iris, 'send_message', { toTeam: 'backend@studio', message: 'x' })).toMatchObject({
    code: 'unknown_team',
  })
})

test('a host believes the keys of its invitation from its first start on, and nobody who was first with another one', async () => {
  const file = join(tower.home, 'data/invited-keys.json')
  const [mill, evil] = [new Seal(Seal.make()), new Seal(Seal.make())]
  const invited = JSON.parse(readFileSync(file, 'utf8')) as { name: string; key: string }[]
  writeFileSync(file, JSON.stringify([...invited, { name: 'mill', key: mill.publicKey, signs: true }]))
  const entry = { wire: 3, version: '9', key: evil.publicKey, teams: [{ name: 'gold' }], leaseMs: 60_000, count: 1 }
  const wire = await connect({ servers: server.url })
  const forged = signJson(JSON.stringify(entry), aboutEntry('mill'), evil)
  await jetstream(wire).publish('$KV.iris_hosts.mill', forged)
  await wire.close()
  await using _daemon = await DaemonProcess.start(tower)
  const hosts = await eventually(async () => {
    const said = JSON.parse(await iris(tower, 'cluster', 'status', '--json')) as { hosts: Record<string, string>[] }
    return said.hosts.length === 3 && said.hosts
  }, 'tower knows the others')
  const keys = hosts.map(({ name, key }) => ({ name, key }))
  expect(keys).toEqual(expect.arrayContaining(invited.map(({ name, key }) => ({ name, key }))))
  expect(hosts.find(({ name }) => name === 'mill')).toMatchObject({ state: 'stranger', key: mill.publicKey })
  expect(existsSync(file)).toBe(false)
})

function laptopAsks(input: object): Promise<Record<string, unknown>> {
  return asOwner(laptop.iris, 'send_message', input)
}
