import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { Cancels } from './cancels.ts'
import type { ClusterCancelRow } from './rows/cluster.ts'

/** `way` is whether there is a way to other hosts. */
function setUp(kept: ClusterCancelRow[] = []) {
  const state = { way: true, sent: [] as string[] }
  const clock = new FakeClock()
  const rows = {
    addCancel: (row: ClusterCancelRow) => void kept.push(row),
    removeCancel: (turn: string, host: string) =>
      void kept.splice(
        kept.findIndex((row) => row.turn === turn && row.host === host),
        1,
      ),
    cancels: (since: number) => kept.filter(({ at }) => at >= since),
  }
  let ids = 0
  const cancels = new Cancels({
    clock,
    rows,
    log: { warn: () => {} } as unknown as Log,
    newId: () => String(ids++),
    async send(to, { kind, turn }) {
      if (!state.way) throw new Error('no way')
      state.sent.push(`${kind} ${turn} ${to}`)
    },
  })
  return { state, clock, cancels, kept }
}

test('a cancel while there is no way to the host goes there when there is one, and until the host confirms it', async () => {
  const { state, clock, cancels } = setUp()
  state.way = false
  expect(await cancels.add('t', ['studio'], 'On request.')).toBe(false)
  state.way = true
  cancels.connected()
  expect(state.sent).toEqual(['cancel t studio'])
  await clock.advance(60_000)
  expect(state.sent).toEqual(['cancel t studio', 'cancel t studio'])
  cancels.confirmed('studio', 't')
  await clock.advance(600_000)
  expect(state.sent).toHaveLength(2)
})

test('a cancel outlives a restart of Iris', async () => {
  const before = setUp()
  before.state.way = false
  await before.cancels.add('t', ['studio', 'tower'], 'On request.')
  const after = setUp(before.kept)
  after.cancels.connected()
  expect(after.state.sent).toEqual(['cancel t studio', 'cancel t tower'])
})

test('a cancel for a host that never comes back is repeated for a week, and then no more', async () => {
  const { state, clock, cancels } = setUp()
  await cancels.add('t', ['studio'], 'On request.')
  await clock.advance(7 * 86_400_000 - 120_000)
  expect(state.sent.length).toBeGreaterThan(1000)
  await clock.advance(240_000)
  const { length } = state.sent
  await clock.advance(3_600_000)
  expect(state.sent).toHaveLength(length)
})
