import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { Drift, type DriftParts } from './drift.ts'

const pair = { from: 'frontend', to: 'backend', thread: 'main' }

/** Counts how often the store is asked for changes; `hash` is what the file holds now. */
function setUp(hash: string) {
  const seen = { asked: 0, hash }
  const noted = { turn: 't', head: null, path: 'a.ts', hash: 'noted', changedAt: null }
  const parts = {
    rows: { ofTeam: () => [noted], change: () => {}, report: () => {}, unreported: () => ((seen.asked += 1), []) },
    machines: { of: () => ({ project: { fileStates: async () => ({ files: [{ hash: seen.hash }] }) } }) },
    config: () => ({ insight: { drift: true }, teams: new Map([['backend', {}]]) }),
    clock: new FakeClock(),
    publish: () => {},
    log: { info: () => {} },
  }
  return { seen, drift: new Drift(parts as unknown as DriftParts) }
}

test('answers ask the store for changed files only after a file was found changed', async () => {
  const { seen, drift } = setUp('noted')
  for (let turn = 0; turn < 3; turn++) drift.report(pair, 'now')
  await drift.compare(['backend'])
  drift.report(pair, 'now')
  expect(seen.asked).toBe(1)
  seen.hash = 'other'
  await drift.compare(['backend'])
  for (let turn = 0; turn < 3; turn++) drift.report(pair, 'now')
  drift.report({ ...pair, to: 'mobile' }, 'now')
  expect(seen.asked).toBe(3)
})
