import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { Limited } from '../../base/protocol/limit.ts'
import { hostEntryOf } from './host-entry.ts'
import { Hosts, type HostsParts } from './hosts.ts'
import type { HostEntry } from './ports.ts'
import { Refusals } from './refusals.ts'

function setUp(kept: object[] = []) {
  const keys = new Map<string, string>()
  const stored = { isFull: false, takesMembers: true }
  const rows = {
    hosts: () => kept,
    removeHosts: (names: string[]) => names.forEach((name) => keys.delete(name)),
    hostKey: (name: string) => (keys.has(name) ? { key: keys.get(name), count: null } : undefined),
    putHost({ name, key }: { name: string; key: string }) {
      if (stored.isFull) throw new Error('the disk is full')
      if (!keys.has(name)) keys.set(name, key)
    },
    members: () => [],
    addMember() {
      if (!stored.takesMembers) throw new Error('the disk is full')
    },
  }
  const shared = { name: 'shared', hosts: ['laptop', 'named'] }
  const config = () => ({ teams: new Map([['shared', shared]]), formerTeams: new Map() })
  const clock = new FakeClock()
  const joined: string[] = []
  const publish = (event: { team?: string; host?: string }) => void joined.push(`${event.host} in ${event.team}`)
  const log = { warn: () => {} }
  const refusals = new Refusals(log)
  const hosts = new Hosts({ clock, log, rows, config, publish, refusals } as unknown as HostsParts)
  return { hosts, stored, keys, clock, joined, refusals }
}

let count = 0
const entry = (key: string, hosts?: string[], limited?: object): HostEntry => ({
  wire: 3,
  version: '1.0.0',
  key,
  leaseMs: 4000,
  count: count++,
  teams: [{ name: 'backend', ...(hosts && { hosts }), ...(limited && { limited: limited as Limited }) }],
})

const unsigned = (key: string, hosts?: string[]): HostEntry => ({ ...entry(key, hosts), count: undefined })

test('a host counts for a team if it and the host in its name name each other in what they signed, and others nothing', () => {
  const { hosts } = setUp()
  hosts.seen('studio', entry('a', ['studio', 'tower', 'attic', 'old', 'evil']))
  hosts.seen('tower', entry('b', ['studio', 'tower']))
  // It would run messages without the log.
  hosts.seen('attic', entry('c'))
  hosts.seen('old', unsigned('d', ['studio', 'old', 'evil']))
  hosts.seen('evil', entry('e', ['evil', 'old']))
  expect(hosts.hostsOf('backend@studio')).toEqual(['studio', 'tower'])
  expect(hosts.hostsOf('backend@attic')).toEqual(['attic'])
  // What an older host says could be forged.
  expect(hosts.hostsOf('backend@old')).toEqual(['old'])
  // A host that studio does not name.
  hosts.seen('mill', entry('f', ['studio', 'tower', 'mill']))
  expect(hosts.hostsOf('backend@studio')).toEqual(['studio', 'tower'])
})

test('a third host that not all name yet takes part with those that do, and changes nothing for the others', () => {
  const { hosts } = setUp()
  hosts.seen('studio', entry('a', ['studio', 'tower', 'mill']))
  hosts.seen('tower', entry('b', ['studio', 'tower']))
  hosts.seen('mill', entry('c', ['studio', 'tower', 'mill']))
  const of = (host: string) => hosts.hostsOf(`backend@${host}`).toSorted()
  expect([of('studio'), of('tower'), of('mill')]).toEqual([
    ['mill', 'studio', 'tower'],
    ['studio', 'tower'],
    ['mill', 'studio'],
  ])
})

test('a known conversation goes on at the host that leads it, also where its Iris does not sign yet', () => {
  const { hosts } = setUp()
  hosts.seen('studio', entry('a', ['studio', 'tower']))
  hosts.seen('tower', unsigned('b', ['studio', 'tower']))
  expect(hosts.hostsOf('backend@studio')).toEqual(['studio'])
  expect(['tower', 'nobody'].map((host) => hosts.mayLead(host, 'backend@studio'))).toEqual([true, false])
})

test('a new host of a team is recorded before it counts, once, and is new for a week', async () => {
  const { hosts, stored, joined, clock } = setUp()
  hosts.seen('studio', entry('a', ['studio', 'tower']))
  expect(joined).toEqual([])
  hosts.seen('tower', entry('b', ['studio', 'tower']))
  expect(joined.toSorted()).toEqual(['studio in backend@tower', 'tower in backend@studio'])
  expect(hosts.newTeamsOf('tower')).toEqual(['backend@studio'])
  hosts.seen('tower', entry('b', ['studio', 'tower']))
  expect(joined).toHaveLength(2)
  await clock.advance(7 * 86_400_000)
  expect(hosts.newTeamsOf('tower')).toEqual([])
  hosts.seen('mill', entry('c', ['mill', 'studio']))
  // A host that cannot be recorded gets no message.
  stored.takesMembers = false
  hosts.seen('studio', entry('a', ['studio', 'tower', 'mill']))
  expect([hosts.hostsOf('backend@studio'), joined.length]).toEqual([['studio', 'tower'], 2])
  stored.takesMembers = true
  expect(hosts.hostsOf('backend@studio')).toEqual(['studio', 'tower', 'mill'])
  expect(joined.at(-1)).toBe('mill in backend@studio')
})

test('another key changes nothing while the host is there; once it is not, the host gets no message and keeps no conversation', async () => {
  const { hosts, clock } = setUp()
  hosts.seen('tower', entry('b', ['studio', 'tower']))
  hosts.showsAnotherKey('tower', entry('stolen', ['studio', 'tower']))
  expect([hosts.isAwakeByName('tower'), hosts.find('tower')?.isStranger]).toEqual([true, false])
  await clock.advance(4001)
  hosts.showsAnotherKey('tower', entry('stolen', ['studio', 'tower']))
  expect([hosts.isAwakeByName('tower'), hosts.leastLoaded(['tower'])]).toEqual([false, undefined])
  expect([hosts.find('tower')?.isStranger, hosts.keyOf('tower')]).toEqual([true, 'b'])
  hosts.seen('tower', entry('b', ['studio', 'tower']))
  expect(hosts.isAwakeByName('tower')).toBe(true)
})

test('an announcement that was there before renews no lease', async () => {
  const { hosts, clock } = setUp()
  const [first, second] = [entry('b'), entry('b')]
  hosts.seen('tower', first)
  hosts.seen('tower', second)
  await clock.advance(4001)
  for (const again of [first, second]) hosts.seen('tower', again)
  expect(hosts.isAwakeByName('tower')).toBe(false)
  hosts.seen('tower', entry('b'))
  expect(hosts.isAwakeByName('tower')).toBe(true)
})

test('the least loaded host has the fewest messages, then processes, then far more memory; one without memory comes last', () => {
  const { hosts } = setUp()
  const load = (turns: number, processes: number, freeMiB?: number) => ({ turns, processes, freeMiB })
  const least = (studio: HostEntry['load'], tower: HostEntry['load']): string | undefined => {
    hosts.seen('studio', { ...entry('a'), load: studio })
    hosts.seen('tower', { ...entry('b'), load: tower })
    return hosts.leastLoaded(['studio', 'tower'])
  }
  expect(least(load(2, 0, 9000), load(1, 8, 8000))).toBe('tower')
  expect(least(load(1, 3, 9000), load(1, 2, 8000))).toBe('tower')
  expect(least(load(1, 2, 8000), load(1, 2, 17_000))).toBe('tower')
  expect(least(load(1, 2, 8000), load(1, 2, 9000))).toBe('studio')
  expect(least(load(0, 0, 200), load(5, 5, 9000))).toBe('tower')
  // A host of an older Iris says nothing of its memory.
  expect(least(load(1, 0), load(0, 0))).toBe('tower')
  expect(least(load(0, 0), load(0, 0))).toBe('studio')
})

test('a host whose key could not be kept is kept with its next announcement', () => {
  const { hosts, stored, keys } = setUp()
  stored.isFull = true
  expect(() => hosts.seen('tower', entry('b'))).toThrow('full')
  stored.isFull = false
  hosts.seen('tower', entry('b'))
  expect(keys.get('tower')).toBe('b')
})

test('after an outage of the servers no host counts as asleep until it could have been heard again', async () => {
  const { hosts, clock } = setUp()
  hosts.seen('studio', entry('a'))
  await clock.advance(10_000)
  expect(hosts.isAwakeByName('studio')).toBe(false)
  hosts.connected()
  await clock.advance(4000)
  expect(hosts.isAwakeByName('studio')).toBe(true)
  await clock.advance(1)
  expect(hosts.isAwakeByName('studio')).toBe(false)
})

test('a team is over its limit while its host says so and is awake; one of several hosts, when all are', async () => {
  const { hosts, clock } = setUp()
  const [over, later] = [
    { until: 5000, window: 'five_hour' },
    { until: 9000, window: 'seven_day' },
  ]
  const both = ['studio', 'tower']
  hosts.seen('studio', entry('a', both, later))
  hosts.seen('tower', entry('b', both))
  expect(hosts.limitOf('backend@studio')).toBeUndefined()
  // For a message, the host that answers it counts.
  expect([hosts.limitOf('backend@studio', 'studio'), hosts.limitOf('backend@studio', 'tower')]).toEqual([
    later,
    undefined,
  ])
  hosts.seen('tower', entry('b', both, over))
  expect(hosts.limitOf('backend@studio')).toEqual(over)
  await clock.advance(4001)
  expect(hosts.limitOf('backend@studio')).toBeUndefined()
})

test.each([
  { until: 1e300, window: 'five_hour' },
  { until: 'noon', window: 'five_hour' },
  { until: 5000, window: '\u001b[2J' },
  'over',
])('a limit that cannot be shown is none, and its team is listed: %j', (limited) => {
  const { teams } = hostEntryOf(JSON.stringify(entry('a', undefined, limited as object)))!
  expect(teams).toEqual([{ name: 'backend', limited: undefined }])
})

test.each([
  'no JSON',
  '5',
  '{}',
  JSON.stringify({ ...unsigned('a'), teams: 5 }),
  JSON.stringify({ ...unsigned('a'), leaseMs: 1e300 }),
])('an announcement that cannot be read is none: %s', (text) => expect(hostEntryOf(text)).toBeUndefined())

test('fields of a later version pass', () => {
  const known = entry('a')
  expect(hostEntryOf(JSON.stringify({ ...known, mood: 'good' }))).toEqual(known)
})

const named = (count: number): string[] => Array.from({ length: count }, (_, at) => `evil${at}`)

test('names beyond a thousand hosts are refused and counted; known hosts stay, and one that a team names has room', () => {
  const { hosts, keys, refusals } = setUp()
  hosts.seen('studio', entry('a'))
  for (const name of named(1100)) hosts.seen(name, entry('e'))
  expect([hosts.all().length, keys.size]).toEqual([1000, 1000])
  expect(hosts.seen('studio', { ...entry('a'), version: '1.1.0' })).toBe(true)
  expect(hosts.find('studio')?.entry.version).toBe('1.1.0')
  hosts.seen('named', entry('n', ['laptop', 'named']))
  expect(hosts.isAwakeByName('named')).toBe(true)
  const counts = refusals.all().map(({ count }) => count)
  expect([counts.length, counts.reduce((sum, count) => sum + count)]).toEqual([101, 101])
  expect(refusals.all()[0]).toMatchObject({ host: 'evil999', why: expect.stringContaining('no room') })
  // Those that are forgotten make room.
  hosts.forget(['evil0', 'evil1'])
  expect(hosts.seen('tower', entry('b'))).toBe(true)
})

test('teams of a new host without room are refused with it; of a known one, those that fit stay', () => {
  const { hosts, refusals } = setUp()
  const many = (count: number) => ({
    ...entry('a'),
    teams: Array.from({ length: count }, (_, at) => ({ name: `team${at}`, description: 'x'.repeat(300) })),
  })
  hosts.seen('studio', many(10))
  for (const name of named(20)) hosts.seen(name, many(1000))
  expect(hosts.teams().length).toBeLessThan(11_000)
  expect(hosts.find('evil19')).toBeUndefined()
  expect(hosts.find('studio')?.entry.teams).toHaveLength(10)
  hosts.seen('studio', many(1000))
  const { length } = hosts.find('studio')!.entry.teams
  expect([length >= 10, length < 1000]).toEqual([true, true])
  expect(refusals.all().find(({ host }) => host === 'studio')?.why).toBe('there is no room for all its teams')
})

test('a flood that an older Iris has kept leaves the hosts that were there before it', () => {
  const row = (name: string, seenAt: number) => ({ name, key: 'a', entry: JSON.stringify(entry('a')), seenAt })
  const { hosts } = setUp([
    ...named(3000).map((name, at) => row(name, 100 + at)),
    row('studio', 50),
    // A host that a team names takes no place from the others, however long ago it was seen.
    row('named', 10),
  ])
  expect(hosts.all()).toHaveLength(1001)
  expect([hosts.find('studio')?.name, hosts.find('named')?.name]).toEqual(['studio', 'named'])
  expect(hosts.withoutRoom).toHaveLength(2001)
})

test('a host is unreachable once it was silent for so long as this host could hear it', async () => {
  const { hosts, clock } = setUp()
  hosts.seen('studio', entry('a'))
  await clock.advance(5000)
  const isUnreachable = () => hosts.isUnreachable(hosts.find('studio')!)
  expect(isUnreachable()).toBe(false)
  hosts.connected()
  await clock.advance(4000)
  expect(isUnreachable()).toBe(false)
  await clock.advance(1)
  expect(isUnreachable()).toBe(true)
})
