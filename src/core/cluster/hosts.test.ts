import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { Limited } from '../pool/account-limits.ts'
import { hostEntryOf } from './host-entry.ts'
import { Hosts, type HostsParts } from './hosts.ts'
import type { HostEntry } from './ports.ts'
import { Refusals } from './refusals.ts'

function setUp() {
  const keys = new Map<string, string>()
  const stored = { isFull: false }
  const rows = {
    hosts: () => [],
    keyOf: (name: string) => keys.get(name),
    putHost({ name, key }: { name: string; key: string }) {
      if (stored.isFull) throw new Error('the disk is full')
      if (!keys.has(name)) keys.set(name, key)
    },
  }
  const config = () => ({ teams: new Map(), formerTeams: new Map() })
  const clock = new FakeClock()
  const refusals = new Refusals({ warn() {} })
  const hosts = new Hosts({ clock, rows, config, refusals } as unknown as HostsParts)
  return { hosts, stored, keys, clock, refusals }
}

const entry = (key: string, hosts?: string[], limited?: object): HostEntry => ({
  ...{ wire: 1, version: '1.0.0', key, leaseMs: 4000 },
  teams: [{ name: 'backend', ...(hosts && { hosts }), ...(limited && { limited: limited as Limited }) }],
})

test('a host goes on for another one only if both say so: otherwise it would run messages without the log', () => {
  const { hosts } = setUp()
  hosts.seen('studio', entry('a', ['studio', 'tower', 'attic']))
  hosts.seen('tower', entry('b', ['studio', 'tower']))
  hosts.seen('attic', entry('c'))
  expect(hosts.hostsOf('backend@studio')).toEqual(['studio', 'tower'])
  expect(hosts.hostsOf('backend@attic')).toEqual(['attic'])
})

test('a host with another key than before gets no message and keeps no conversation', () => {
  const { hosts } = setUp()
  hosts.seen('tower', entry('b', ['studio', 'tower']))
  expect(hosts.isAwakeByName('tower')).toBe(true)
  hosts.seen('tower', entry('stolen', ['studio', 'tower']))
  expect([hosts.isAwakeByName('tower'), hosts.leastLoaded(['tower'])]).toEqual([false, undefined])
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
  // Of a message, the host that answers it counts.
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
  JSON.stringify({ ...entry('a'), teams: 5 }),
  JSON.stringify({ ...entry('a'), leaseMs: 1e300 }),
])('an announcement that cannot be read is none: %s', (text) => expect(hostEntryOf(text)).toBeUndefined())

test('fields of a later version pass', () => {
  expect(hostEntryOf(JSON.stringify({ ...entry('a'), mood: 'good' }))).toEqual(entry('a'))
})
