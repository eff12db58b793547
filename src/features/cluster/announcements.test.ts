import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { makeTables } from '../../platform/store/database.ts'
import type { Store } from '../../platform/store/store.ts'
import { AnnouncementCount } from './announcement-count.ts'
import { Announcements } from './announcements.ts'
import { aboutEntry, ownCount } from './host-entry.ts'
import { Hosts, type HostsParts } from './hosts.ts'
import { aboutLine, openLine } from './live-lines.ts'
import type { HostEntry } from './ports.ts'
import { Refusals } from './refusals.ts'
import { ClusterRows } from './rows/cluster.ts'
import { Seal } from './seal.ts'
import { signJson } from './signed-json.ts'

const [studio, evil] = [new Seal(Seal.make()), new Seal(Seal.make())]

function store(): ClusterRows {
  const database = new DatabaseSync(':memory:')
  makeTables(database)
  return new ClusterRows(Object.assign(database, { withoutSync: (work: () => unknown) => work() }) as unknown as Store)
}

function setUp(rows = store()) {
  const [clock, warned] = [new FakeClock(), [] as string[]]
  const log = { warn: (text: string) => void warned.push(text) } as unknown as Log
  const config = () => ({ teams: new Map(), formerTeams: new Map() })
  const refusals = new Refusals(log)
  const hosts = new Hosts({ clock, log, rows, config, refusals, publish: () => {} } as unknown as HostsParts)
  return { clock, rows, warned, hosts, refusals, announcements: new Announcements({ log, hosts, refusals }) }
}

const entry = (count: number | undefined, more: Partial<HostEntry> = {}): string => {
  const teams = [{ name: 'backend' }]
  const what: HostEntry = { wire: 3, version: '1.0.0', key: studio.publicKey, leaseMs: 4000, teams, count, ...more }
  return JSON.stringify(what)
}
const signed = (json: string, seal = studio, host = 'studio'): string => signJson(json, aboutEntry(host), seal)
const hosts = ['studio', 'evil']
const forgedTeams = { teams: [{ name: 'backend', hosts }] }

test.each([
  [
    'its own text with other teams',
    signed(entry(1)).replace('{"name":"backend"}', '{"name":"backend","hosts":["studio","evil"]}'),
  ],
  ['signed by another key in its name', signed(entry(3, forgedTeams), evil)],
  ['without a signature', entry(3, forgedTeams)],
  ['as of an older Iris', entry(undefined, { ...forgedTeams, wire: 2 })],
  ['of another key', signed(entry(3, { ...forgedTeams, key: evil.publicKey }), evil)],
  ['signed for another host', signed(entry(3, forgedTeams), studio, 'tower')],
  ['without a count', signed(entry(undefined, forgedTeams))],
  ['that nobody can read', 'no JSON'],
])('an announcement %s is refused, counted, and said once', (_what, forged) => {
  const { hosts, announcements, refusals, warned } = setUp()
  announcements.take('studio', signed(entry(2)))
  announcements.take('studio', forged)
  announcements.take('studio', forged)
  expect(hosts.find('studio')).toMatchObject({ isStranger: false, entry: { teams: [{ name: 'backend' }], count: 2 } })
  expect(hosts.find('studio')?.entry.teams[0]).not.toHaveProperty('hosts')
  expect(refusals.all()).toMatchObject([{ host: 'studio', count: 2 }])
  expect(warned).toHaveLength(1)
})

test('a flood of names that nobody knows takes a bounded room', () => {
  const { announcements, refusals, warned } = setUp()
  for (let name = 0; name < 5000; name++) announcements.take(`host-${name}`, 'no JSON')
  expect([refusals.all().length, warned.length]).toEqual([101, 101])
  expect(refusals.all().reduce((sum, { count }) => sum + count, 0)).toBe(5000)
})

test('what was there before a restart renews no lease after it, and an older one neither', () => {
  const before = setUp()
  for (const count of [1, 2, 3]) before.announcements.take('studio', signed(entry(count)))
  before.hosts.end()
  const after = setUp(before.rows)
  for (const count of [3, 2]) after.announcements.take('studio', signed(entry(count)))
  expect(after.hosts.isAwakeByName('studio')).toBe(false)
  // It could not have been heard yet, so no host takes over its conversations.
  after.hosts.connected()
  expect(after.hosts.mayBeAwake('studio')).toBe(true)
  after.announcements.take('studio', signed(entry(4)))
  expect(after.hosts.isAwakeByName('studio')).toBe(true)
})

test('a host that was not heard for its lease after a start counts as asleep', async () => {
  const before = setUp()
  before.announcements.take('studio', signed(entry(1)))
  const { hosts, clock } = setUp(before.rows)
  hosts.connected()
  await clock.advance(4001)
  expect(hosts.mayBeAwake('studio')).toBe(false)
})

test('leaving is signed: its teams are offered no more, also after a restart, until it announces itself again', () => {
  const { announcements, hosts, rows } = setUp()
  announcements.take('studio', signed(entry(1)))
  announcements.take('studio', entry(2, { teams: [], left: true }))
  expect(hosts.teams()).toHaveLength(1)
  announcements.take('studio', signed(entry(2, { teams: [], left: true })))
  expect([hosts.teams(), hosts.isAwakeByName('studio'), hosts.mayBeAwake('studio')]).toEqual([[], false, false])
  const after = setUp(rows)
  expect(after.hosts.teams()).toEqual([])
  after.announcements.take('studio', signed(entry(3)))
  expect(after.hosts.teams()).toHaveLength(1)
})

test('a host with an older Iris is believed as before, until it signs', () => {
  const { announcements, hosts, refusals } = setUp()
  announcements.take('studio', entry(7, { wire: 2 }))
  // It says no count that anybody could rely on.
  expect(hosts.find('studio')?.entry).not.toHaveProperty('count')
  announcements.take('studio', entry(undefined, { wire: 2 }))
  expect(hosts.isAwakeByName('studio')).toBe(true)
  announcements.take('studio', signed(entry(1)))
  announcements.take('studio', entry(undefined, { wire: 2, ...forgedTeams }))
  expect(refusals.all()).toMatchObject([{ host: 'studio', why: 'its announcement is not signed' }])
})

test('the key of an invitation is believed, and nobody can be first with another one', () => {
  const { announcements, hosts } = setUp()
  announcements.take('studio', signed(entry(9, { key: evil.publicKey }), evil))
  hosts.pin('studio', studio.publicKey, true)
  expect(hosts.find('studio')).toBeUndefined()
  announcements.take('studio', signed(entry(10, { key: evil.publicKey }), evil))
  expect(hosts.find('studio')).toMatchObject({ isStranger: true, key: studio.publicKey })
  announcements.take('studio', entry(undefined, { wire: 2 }))
  expect(hosts.find('studio')?.isStranger).toBe(true)
  announcements.take('studio', signed(entry(1)))
  expect(hosts.find('studio')).toMatchObject({ isStranger: false, entry: { key: studio.publicKey } })
})

test.each([
  ['of that host', aboutLine('studio', 'laptop'), studio, true],
  ['of another key', aboutLine('studio', 'laptop'), evil, false],
  ['for another host', aboutLine('studio', 'tower'), studio, false],
])('a live line counts only if its host has signed it for this one: %s', (_what, about, seal, counts) => {
  const { announcements, hosts } = setUp()
  announcements.take('studio', signed(entry(1)))
  const line = '{"turn":"t","n":0,"lines":[]}'
  expect(openLine(signJson(line, about, seal), 'studio', 'laptop', hosts)).toBe(counts ? line : undefined)
  expect(openLine(line, 'studio', 'laptop', hosts)).toBeUndefined()
})

test('counts grow over a new store, a server without the entry and a clock that was set back', () => {
  const [rows, log] = [store(), { debug: () => {} }]
  const at = (now: number, kept = rows) => new AnnouncementCount({ clock: { now: () => now }, log, rows: kept })
  const first = at(1_000_000)
  const counts = [first.next(), first.next()]
  expect(counts).toEqual([1_000_001, 1_000_002])
  // Set back, with the store.
  expect(at(5).next()).toBeGreaterThan(1_000_002)
  // Set back, with a new store: the server has the last one.
  const third = at(5, store())
  third.hasUsed(ownCount(signed(entry(2_000_000)), 'studio', studio))
  expect(third.next()).toBe(2_000_001)
  // An announcement that this host has not signed does not count.
  expect([signed(entry(9), evil), entry(9), undefined].map((text) => ownCount(text, 'studio', studio))).toEqual([
    0, 0, 0,
  ])
  // Not once more than a minute's worth are written.
  const written = rows.mostCount()
  const fourth = at(written + 10)
  for (let n = 0; n < 1000; n++) fourth.next()
  expect(rows.mostCount()).toBeGreaterThan(written)
})
