import { expect, test } from 'vitest'
import { IrisError } from '../../base/protocol/error.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { Config } from '../../platform/config/config.ts'
import { faultsIn } from './faults.ts'
import { Healing } from './healing.ts'
import type { HealingRow, HealingRows } from './rows/healings.ts'

const on = { insight: { healing: true } } as Config

test('a store that cannot be written loses the record of a fault, and nothing else', () => {
  let isFull = true
  const kept: string[] = []
  const written = (what: string): void => {
    if (isFull) throw new IrisError('store_unavailable', 'The disk is full.', 'Free some.')
    kept.push(what)
  }
  const rows = {
    open: () => [],
    add: (row: Omit<HealingRow, 'id'>) => (written('found'), { ...row, id: 1 }),
    heal: () => written('healed'),
  } as unknown as HealingRows
  const published: string[] = []
  const healing = new Healing({ rows, config: () => on, publish: ({ type }) => void published.push(type) })
  const event = (type: 'config-rejected' | 'config-reloaded') =>
    ({ type, sequence: 1, at: 1, path: 'config.yaml', problems: [] }) as unknown as PublishedEvent
  healing.take(event('config-rejected'))
  isFull = false
  healing.take(event('config-rejected'))
  isFull = true
  healing.take(event('config-reloaded'))
  expect(kept).toEqual(['found'])
  isFull = false
  healing.take(event('config-reloaded'))
  expect(kept).toEqual(['found', 'healed'])
  expect(published).toEqual(['fault-found', 'fault-healed'])
})

test('a conversation that could not begin has lost no transcript', () => {
  const archived = { type: 'session-archived', why: 'no program', planned: false, from: 'a', to: 'b', thread: 'main' }
  const faultOf = (more: object) => faultsIn({ ...archived, ...more } as unknown as PublishedEvent).found?.fault
  expect(faultOf({})).toBe('missing_transcript')
  expect(faultOf({ neverBegan: true })).toBeUndefined()
})
