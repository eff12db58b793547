import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Clock, systemClock } from '../../src/base/lib/clock.ts'
import { keeperUser, natsUser } from '../../src/platform/config/nats-user.ts'
import { ask } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { type JoinedIris, joinedIris, offersTo } from '../support/joined-iris.ts'
import { NatsServer } from '../support/nats.ts'
import { asOwner } from '../support/owner.ts'
import { runCommand } from '../support/run-command.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { createWorld, type World } from '../support/world.ts'

// A server with users: laptop, studio and tower have those of invitations, and laptop is to be the keeper.
const scratch = scratchDirectory()
const shared = ['pair']
const keeper = 'keeper_laptop:keeper-password'

let server: NatsServer
let laptop: World
let daemon: DaemonProcess
let studio: JoinedIris
let tower: JoinedIris
/** Who may do everything. */
let admin: NatsConnection

beforeAll(async () => {
  const users = ['laptop', 'studio', 'tower'].map((name) =>
    natsUser({ name, password: `${name}-password`, sharedTeams: shared }),
  )
  const all = [...users, keeperUser('keeper_laptop', 'keeper-password'), '{ user: admin, password: admin }']
  server = await NatsServer.start(`authorization { users: [ ${all.join('\n')} ] }`)
  laptop = await createWorld({
    claude: 'fake',
    teams: ['frontend'],
    cluster: { servers: server.url, name: 'laptop', credentials: secretOf('laptop', 'laptop:laptop-password') },
  })
  daemon = await DaemonProcess.start(laptop)
  studio = await host('studio', ['backend'])
  tower = await host('tower', [{ name: 'pair', hosts: ['studio', 'tower'] }])
  admin = await connect({ servers: server.url, user: 'admin', pass: 'admin' })
})

afterAll(async () => {
  await admin.close()
  for (const each of [daemon, laptop, studio, tower, server]) await each[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

function secretOf(name: string, text: string): string {
  const path = join(scratch.path, name)
  writeFileSync(path, `${text}\n`, { mode: 0o600 })
  return path
}

/** What studio is to do in an hour; the hour never passes on its own. */
const inAnHour = new Set<() => void>()
const clock: Clock = {
  ...systemClock,
  after(ms, run) {
    if (ms !== 3_600_000) return systemClock.after(ms, run)
    inAnHour.add(run)
    return () => inAnHour.delete(run)
  },
}

function host(name: string, teams: Parameters<typeof joinedIris>[2]['teams']): Promise<JoinedIris> {
  return joinedIris(server, name, {
    teams,
    clock,
    cluster: { credentials: secretOf(name, `${name}:${name}-password`) },
  })
}

/** What the command prints, and how it ends where it does not end well. */
async function iris(world: World, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(world, words, { cwd: scratch.path })
  return `${code === 0 ? '' : `${code}: `}${stdout}${stderr}`
}

interface LinkView {
  readonly state: string
  readonly why?: string
  readonly lost?: string
  readonly problem?: string
  readonly keeper?: string
}

async function linkOf({ iris: of }: JoinedIris): Promise<LinkView> {
  const { link } = (await asOwner(of, 'cluster_status')) as { link: LinkView }
  return link
}

async function streams(): Promise<string[]> {
  const manager = await jetstreamManager(admin)
  return (await manager.streams.names().next()).toSorted()
}

test('without a keeper a host makes no stream, and says what it waits for', async () => {
  await eventually(
    async () => (await linkOf(studio)).why?.startsWith('no mailbox: no keeper is known'),
    'studio says so',
  )
  expect(await streams()).toEqual([])
  expect(await iris(laptop, 'cluster', 'invite', 'mill')).toContain('Run iris cluster init on one host')
})

test('iris cluster init makes a mailbox for each invited host, and the hosts go on', async () => {
  const given = ['--credentials', secretOf('admin', keeper), '--hosts', 'studio,tower'] as const
  const said = await iris(laptop, 'cluster', 'init', ...given)
  // A host that has no mailbox connects again and again: then a keeper looks too, and may be first.
  const made = /Made: the directory of the hosts, the mailbox of laptop, the mailbox of studio, the mailbox of tower/
  expect(said).toMatch(new RegExp(`${made.source}|The servers are fully set up`))
  // The configuration for this version: 2.9 does not start with sync_interval.
  const lateSync = /nats-server 2\.9\.\d+ does not start with sync_interval: always. A power cut may lose/
  const isOld = server.said.includes('Version:  2.9.')
  expect(said).toContain(`jetstream { store_dir: /var/lib/nats${isOld ? '' : ', sync_interval: always'} }`)
  expect(lateSync.test(said)).toBe(isOld)
  expect(said).toContain('keeper_laptop, password: "keeper-password"')
  const kept = join(laptop.home, 'data/keeper.json')
  expect([statSync(kept).mode & 0o777, readFileSync(kept, 'utf8')]).toEqual([0o600, expect.stringContaining(keeper)])
  await offersTo(studio.iris, 'frontend@laptop')
  expect(await ask(studio.iris, 'frontend@laptop', 'Hello?')).toMatchObject({ status: 'completed' })
  expect(await streams()).toEqual(['IRIS_laptop', 'IRIS_studio', 'IRIS_tower', 'KV_iris_hosts'])
  // The same again does nothing.
  const again = await iris(laptop, 'cluster', 'init')
  expect(again).toContain('The servers are fully set up.')
  expect(again).not.toContain('Made:')
})

test('only the keeper invites, and the invited host has its mailbox at once', async () => {
  await eventually(async () => (await linkOf(studio)).keeper === 'laptop', 'studio knows the keeper')
  const refused = await iris(studio.iris.world, 'cluster', 'invite', 'mill')
  expect(refused).toContain('Run on laptop: iris cluster invite mill')
  expect(await iris(laptop, 'cluster', 'invite', 'mill')).not.toContain('Something is missing')
  expect(await streams()).toContain('IRIS_mill')
})

test('hosts that begin to share a team name the command for the keeper, and share it afterwards', async () => {
  const line = 'iris cluster init --teams pair --hosts studio,tower'
  const problem = `the team pair is not shared yet: there is no log of it. Run on the keeper laptop: ${line}`
  await eventually(async () => (await linkOf(tower)).problem === problem, 'tower says it')
  expect(await iris(tower.iris.world, 'cluster', 'status')).toContain(line)
  const said = await iris(laptop, ...line.split(' ').slice(1))
  expect(said).toContain('Made: the log of pair.')
  expect(said).toContain('"$JS.API.STREAM.MSG.GET.IRIS_LOG_pair"')
  await eventually(async () => (await linkOf(tower)).problem === undefined, 'tower has the log')
  await offersTo(studio.iris, 'pair@tower')
  expect(await ask(studio.iris, 'pair@tower', 'Hello?')).toMatchObject({ status: 'completed' })
})

test('the keeper gives a stream its configuration back, and says which one the server does not let it change', async () => {
  const { streams: all } = await jetstreamManager(admin)
  const foreign = { subjects: ['iris.mail.mill.>', 'iris.live.>'], sources: [{ name: 'IRIS_studio' }] }
  await all.update('IRIS_mill', { ...foreign, max_age: 0 })
  expect(await iris(laptop, 'cluster', 'init')).toContain('The servers are fully set up.')
  const { config } = await all.info('IRIS_mill')
  expect(config).toMatchObject({ subjects: ['iris.mail.mill.>'], max_age: 7 * 86_400 * 1e9 })
  expect(config.sources).toBeUndefined()
  const copies = { src: 'iris.mail.mill.>', dest: 'evil.>' }
  // The keeper may look between the two.
  await eventually(async () => {
    await all.delete('IRIS_mill')
    const made = all.add({ name: 'IRIS_mill', subjects: ['iris.mail.mill.>'], republish: copies })
    return made.catch(() => undefined)
  }, 'somebody was first')
  const said = await iris(laptop, 'cluster', 'init')
  expect(said).toMatch(/^1: .*Not done: the mailbox of mill: its configuration is different.*Remove the stream/s)
  await all.delete('IRIS_mill')
  expect(await iris(laptop, 'cluster', 'init')).toContain('The servers are fully set up.')
  expect((await all.info('IRIS_mill')).config.republish).toBeUndefined()
})

test('the files are lost while the keeper is away: the others say so, and go on after it', async () => {
  await daemon.kill()
  await server.kill()
  server.loseFiles()
  await server.start()
  const why = 'no mailbox: the keeper laptop is away'
  for (const each of [studio, tower])
    await eventually(async () => (await linkOf(each)).why === why, 'it names the keeper')
  expect(await iris(studio.iris.world, 'cluster', 'status')).toContain(`unreachable (${why})`)
  expect(await iris(studio.iris.world, 'doctor')).toContain(`not connected to the others: ${why}`)
  expect(JSON.stringify(await asOwner(studio.iris, 'get_logs', {}))).toContain(why)
  daemon = await DaemonProcess.start(laptop)
  for (const each of [studio, tower])
    await eventually(async () => (await linkOf(each)).state === 'connected', 'it goes on')
  await offersTo(tower.iris, 'backend@studio')
  expect(await ask(studio.iris, 'frontend@laptop', 'Still there?')).toMatchObject({ status: 'completed' })
  expect(await ask(studio.iris, 'pair@tower', 'And you?')).toMatchObject({ status: 'completed' })
  const lost = 'the mailbox of this host, the directory of the hosts'
  for (const each of [studio, tower]) expect(await each.iris.event('servers-lost')).toMatchObject({ what: lost })
  expect((await linkOf(tower)).lost).toContain(`had lost ${lost}`)
  expect(await iris(laptop, 'cluster', 'status')).toMatch(/Lost: .*the directory of the hosts, the mailbox of laptop, /)
  expect(await iris(laptop, 'audit')).toContain('servers.lost')
})

test('a second keeper does no harm, and a keeper looks once an hour', async () => {
  const given = ['--credentials', join(scratch.path, 'admin'), '--hosts', 'laptop,tower,mill', '--teams', 'pair']
  const said = await iris(studio.iris.world, 'cluster', 'init', ...given)
  expect(said).toContain('The servers are fully set up.')
  expect(said).not.toMatch(/Made:|Restored/)
  await eventually(async () => (await linkOf(tower)).keeper === 'laptop or studio', 'tower knows both')
  const { streams: all } = await jetstreamManager(admin)
  await all.delete('IRIS_mill')
  await eventually(async () => {
    // A copy: what repeats adds itself again while it runs.
    for (const run of [...inAnHour]) {
      inAnHour.delete(run)
      run()
    }
    return (await streams()).includes('IRIS_mill')
  }, 'it is made again')
  await studio.iris.event('servers-lost', ({ what }) => what === 'the mailbox of mill')
})
