import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { RemoteAsk } from '../../kernel/session/other-hosts.ts'
import { makeTables } from '../../platform/store/database.ts'
import type { Store } from '../../platform/store/store.ts'
import { refusedEnd } from './letters.ts'
import { Outgoing } from './outgoing.ts'
import { ClusterRows } from './rows/cluster.ts'
import { ClusterBegunRows } from './rows/cluster-begun.ts'

const pair = { from: 'frontend', to: 'backend@studio', thread: 'main' }

/** What outlives the asker: the rows of its store, the ids that mailboxes have had, and the hosts that are awake. */
function around() {
  const database = new DatabaseSync(':memory:')
  makeTables(database)
  const store = Object.assign(database, { withoutSync: (work: () => unknown) => work() }) as unknown as Store
  const begunRows = new ClusterBegunRows(store)
  return { rows: new ClusterRows(store), begunRows, ids: new Set<string>(), awake: new Set(['studio', 'tower']) }
}

let runs = 0

/** A message to a team of two hosts. `sent` names each letter and its host. */
function setUp({ rows, begunRows, ids, awake } = around(), id = 't') {
  const clock = new FakeClock()
  const sent: string[] = []
  const letters: Record<string, unknown>[] = []
  const older = new Set<string>()
  const moves: string[] = []
  const log = { warn: () => {} } as unknown as Log
  const outgoing = new Outgoing({
    clock,
    log,
    rows,
    begunRows,
    readsKnown: (host) => !older.has(host),
    leaderAwayMs: () => 600_000,
    newId: () => `run-${runs++}`,
    fullName: (team) => team,
    hostsOf: () => ['studio', 'tower'],
    mayLead: () => true,
    // A mailbox keeps a letter of the same id only once.
    send: async (to, { kind, text }, id) => {
      letters.push(JSON.parse(text))
      if (!ids.has(`${to} ${id}`)) sent.push(`${kind} ${to}`)
      ids.add(`${to} ${id}`)
    },
    cancels: {
      async add(_turn, hosts) {
        for (const host of hosts) sent.push(`cancel ${host}`)
        return true
      },
    },
    moved: (_what, _pair, from, to) => void moves.push(`${from} ${to}`),
    traces: { of: () => undefined },
    isAwake: (host) => awake.has(host),
    leastLoaded: (hosts) => hosts.find((host) => awake.has(host)),
  })
  const cancel = new AbortController()
  const facts = { pair, message: 'Work', awaited: true, hop: 1, budget: null, responseSchema: null }
  const ask = { id, facts, cancelled: cancel.signal, chain: [], notices: [], files: [] } as unknown as RemoteAsk
  const end = outgoing.carry(ask, { took: () => {}, hear: () => {}, awaits: () => {} })
  const cancelIt = (reason = 'cancelled', detail = 'On request.'): void => cancel.abort({ reason, detail })
  return { clock, sent, letters, older, moves, awake, outgoing, end, cancelIt }
}

test('a cancelled message does not go to another host when its own falls asleep', async () => {
  const { clock, sent, awake, outgoing, end, cancelIt } = setUp()
  await clock.advance(0)
  outgoing.taken('studio', 't')
  cancelIt()
  awake.delete('studio')
  await clock.advance(10_000)
  expect(await end).toMatchObject({ outcome: 'cancelled' })
  expect(sent).toEqual(['ask studio', 'cancel studio'])
})

test('a message that was sent to another host is cancelled on both', async () => {
  const { clock, sent, awake, end, cancelIt } = setUp()
  await clock.advance(0)
  awake.delete('studio')
  await clock.advance(500)
  cancelIt()
  await clock.advance(10_000)
  expect(await end).toMatchObject({ outcome: 'cancelled' })
  expect(sent).toEqual(['ask studio', 'ask tower', 'cancel studio', 'cancel tower'])
})

test('a host that still believes in a sleeping one is asked again, and the sleeping one is not', async () => {
  const { clock, sent, moves, awake, outgoing } = setUp()
  await clock.advance(0)
  awake.delete('studio')
  await clock.advance(500)
  outgoing.moved('tower', 't', 'studio')
  await clock.advance(1000)
  expect(sent).toEqual(['ask studio', 'ask tower', 'ask tower'])
  expect(moves).toEqual(['studio tower'])
})

const answered = {
  ...refusedEnd('failed', 'internal', ''),
  outcome: 'completed',
  reason: null,
  answer: 'Done.',
} as const

test('after a restart the host that has the message is asked at once, under an id that its mailbox has not had', async () => {
  const world = around()
  const first = setUp(world)
  await first.clock.advance(0)
  first.outgoing.moved('studio', 't', 'tower')
  await first.clock.advance(0)
  first.outgoing.taken('tower', 't')
  first.outgoing.end()
  const second = setUp(world)
  await second.clock.advance(0)
  expect([first.sent, second.sent]).toEqual([['ask studio', 'ask tower'], ['ask tower']])
  // A cancel goes to all that may have it.
  second.cancelIt()
  await second.clock.advance(10_000)
  expect(second.sent.slice(1).toSorted()).toEqual(['cancel studio', 'cancel tower'])
  await second.end
  expect(world.rows.asked('t')).toEqual([])
})

test('an end counts from each host that was asked or shares the team, a refusal only from the one that is asked now', async () => {
  const shares = setUp()
  await shares.clock.advance(0)
  // Another key, another team: nobody asked it.
  shares.outgoing.settled('attic', 't', answered)
  shares.outgoing.settled('tower', 't', refusedEnd('failed', 'refused', 'tower takes no messages of laptop.'))
  expect(shares.outgoing.has('t')).toBe(true)
  shares.outgoing.settled('tower', 't', answered)
  expect(await shares.end).toMatchObject({ outcome: 'completed', answer: 'Done.' })
  const refused = setUp()
  await refused.clock.advance(0)
  refused.outgoing.settled('studio', 't', refusedEnd('failed', 'refused', 'studio takes no messages of laptop.'))
  expect(await refused.end).toMatchObject({ outcome: 'failed', reason: 'refused' })
})

test('a host that was asked before the restart, and has the team no more, is asked no more', async () => {
  const world = around()
  world.rows.addAsked('t', 'attic')
  const { clock, sent, outgoing } = setUp(world)
  await clock.advance(0)
  expect(sent).toEqual(['ask studio'])
  // It may have answered before.
  outgoing.settled('attic', 't', answered)
  expect(outgoing.has('t')).toBe(true)
  await clock.advance(0)
  expect(outgoing.has('t')).toBe(false)
})

const place = { log: 'log-1', record: 7 }

/** Studio had begun it, and tower, which is asked then, has no record of that. */
async function lost(world = around()) {
  const all = setUp(world)
  await all.clock.advance(0)
  all.outgoing.taken('studio', 't', { begun: place })
  all.awake.delete('studio')
  await all.clock.advance(500)
  all.outgoing.lacks('tower', 't', 'The servers have no record of it.')
  await all.clock.advance(0)
  return all
}

test('a host that is asked to go on gets what is known of the turn, over a restart too', async () => {
  const world = around()
  const { clock, letters, outgoing, awake } = setUp(world)
  await clock.advance(0)
  outgoing.taken('studio', 't')
  awake.delete('studio')
  await clock.advance(500)
  // Taken is not begun: another host begins it.
  expect(letters.at(-1)).toMatchObject({ wire: 1 })
  // This was on its way while tower was asked.
  outgoing.taken('studio', 't', { begun: place })
  await clock.advance(5000)
  expect(letters.at(-1)).toMatchObject({ wire: 3, known: { host: 'studio', place } })
  outgoing.end()
  const second = setUp(world)
  await second.clock.advance(0)
  expect(second.letters.at(-1)).toMatchObject({ wire: 3, known: { host: 'studio', place } })
})

test('a line that was heard says that the turn has begun', async () => {
  const turn = '00000000-0000-4000-8000-000000000001'
  const { clock, letters, outgoing, awake } = setUp(around(), turn)
  await clock.advance(0)
  outgoing.heard('studio', JSON.stringify({ turn, n: 0, lines: [{ type: 'assistant' }] }))
  awake.delete('studio')
  await clock.advance(500)
  expect(letters.at(-1)).toMatchObject({ wire: 3, known: { host: 'studio' } })
})

test('a turn whose records are lost waits for the host that had begun it, and ends in doubt after ten minutes', async () => {
  const { clock, sent, outgoing, end, awake } = await lost()
  expect(sent).toEqual(['ask studio', 'ask tower', 'ask studio'])
  // Nobody else is asked, and studio is asked at once when it is back.
  await clock.advance(300_000)
  expect(sent.slice(3).every((each) => each === 'ask studio')).toBe(true)
  awake.add('studio')
  const before = sent.length
  await clock.advance(500)
  expect(sent.length).toBe(before + 1)
  outgoing.taken('studio', 't', { begun: { ...place, record: 9 } })
  awake.delete('studio')
  await clock.advance(500)
  outgoing.lacks('tower', 't', 'The servers have no record of it.')
  // Iris waits for it again.
  await clock.advance(599_000)
  expect(outgoing.has('t')).toBe(true)
  await clock.advance(2000)
  expect(await end).toMatchObject({
    outcome: 'in_doubt',
    reason: 'interrupted',
    detail: 'The servers have no record of it. studio did not come back in time, so it is unknown how far it got.',
  })
  expect(sent.slice(-2).toSorted()).toEqual(['cancel studio', 'cancel tower'])
})

test('the wait goes on over a restart, and a budget of time ends it in doubt', async () => {
  const world = around()
  const first = await lost(world)
  await first.clock.advance(400_000)
  first.outgoing.end()
  const second = setUp(world)
  await second.clock.advance(500_000)
  expect(second.sent.every((each) => each === 'ask studio')).toBe(true)
  second.cancelIt('over_budget', 'Its time is used up.')
  expect(await second.end).toMatchObject({
    outcome: 'in_doubt',
    detail: expect.stringContaining('Its time is used up.'),
  })
  expect(world.begunRows.of('t')).toBeUndefined()
})

test('a host with an older Iris refuses what it cannot read: the turn waits for its host, and does not fail', async () => {
  const { clock, letters, outgoing, awake, older } = setUp()
  await clock.advance(0)
  outgoing.taken('studio', 't', { begun: place })
  older.add('tower')
  older.add('studio')
  awake.delete('studio')
  await clock.advance(500)
  expect(letters.at(-1)).toMatchObject({ wire: 3 })
  outgoing.settled('tower', 't', refusedEnd('failed', 'refused', 'tower runs an older Iris.'))
  await clock.advance(0)
  expect(outgoing.has('t')).toBe(true)
  // The host that has it would drop what it cannot read, and answers.
  expect(letters.at(-1)).toMatchObject({ wire: 1 })
})
