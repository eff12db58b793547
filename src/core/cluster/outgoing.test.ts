import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { AskElsewhere } from '../orchestrator/elsewhere.ts'
import { Outgoing } from './outgoing.ts'

const pair = { from: 'frontend', to: 'backend@studio', thread: 'main' }

/** A message to a team of two hosts. `sent` names each letter and its host. */
function setUp() {
  const clock = new FakeClock()
  const sent: string[] = []
  const ids = new Set<string>()
  const moves: string[] = []
  const awake = new Set(['studio', 'tower'])
  const log = { warn: () => {} } as unknown as Log
  const outgoing = new Outgoing({
    ...{ clock, log, fullName: (team) => team, hostsOf: () => ['studio', 'tower'], mayLead: () => true },
    // A mailbox keeps a letter of the same id only once.
    send: async (to, { kind }, id) => {
      if (!ids.has(`${to} ${id}`)) sent.push(`${kind} ${to}`)
      ids.add(`${to} ${id}`)
    },
    cancels: {
      async add(_turn, hosts) {
        for (const host of hosts) sent.push(`cancel ${host}`)
        return true
      },
    },
    ...{ moved: (_what, _pair, from, to) => void moves.push(`${from} ${to}`), traces: { of: () => undefined } },
    isAwake: (host) => awake.has(host),
    leastLoaded: (hosts) => hosts.find((host) => awake.has(host)),
  })
  const cancel = new AbortController()
  const facts = { pair, message: 'Work', awaited: true, hop: 1, budget: null, responseSchema: null }
  const ask = { id: 't', facts, cancelled: cancel.signal, chain: [], notices: [], files: [] } as unknown as AskElsewhere
  const end = outgoing.carry(ask, { took: () => {}, hear: () => {}, awaits: () => {} })
  const cancelIt = (): void => cancel.abort({ reason: 'cancelled', detail: 'On request.' })
  return { clock, sent, moves, awake, outgoing, end, cancelIt }
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
