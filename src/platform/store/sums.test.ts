import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../base/lib/clock.ts'
import { openDatabase } from './database.ts'
import type { Store } from './store.ts'
import { type SumRequests, Sums, sum } from './sums.ts'

const directory = mkdtempSync(join(tmpdir(), 'iris-sums-'))
let store: Store
beforeAll(() => {
  store = openDatabase(join(directory, 'store.db'))
  store.exec(`
    INSERT INTO team_sessions (id, from_team, to_team, thread, session_id, created_at, last_used_at, message_count, status)
      VALUES (1, 'a', 'b', '', 's1', 0, 10000000, 1, 'active'), (2, 'c', 'b', '', 's2', 0, 10000000, 1, 'active');
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 6000)
    INSERT INTO turns (id, session, message, hop, awaited, state, outcome, usage, accepted_at, settled_at)
      SELECT 'turn' || n, 1 + n % 2, '', 1, 1, 'settled', 'completed', json_object('inputTokens', 1, 'costUsd', 0.5),
        1000 * n, 1000 * n + 5 FROM numbers;
  `)
})
afterAll(() => {
  store.close()
  rmSync(directory, { recursive: true })
})

/** The store without the statements that read the usage of turns. */
function withoutSums(): Store {
  return new Proxy(store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (key !== 'prepare') return typeof value === 'function' ? value.bind(target) : value
      return (sql: string) => {
        if (/usage|percentile|outcome/.test(sql)) throw new Error('a sum in this thread')
        return target.prepare(sql)
      }
    },
  })
}

const filter = { participants: [], from: undefined, to: undefined, thread: undefined, since: undefined }
const buckets = { begin: 0, end: 10_000_000, sizeMs: 3_600_000, participant: undefined }

test.each<{ [Name in keyof SumRequests]: [Name, SumRequests[Name]] }[keyof SumRequests]>([
  ['sessions', { since: 0, filter }],
  ['overTime', { since: 0, buckets }],
  ['pairs', { since: 0 }],
])('the sum %s over many turns comes from a thread, and is the same', async (name, request) => {
  const sums = new Sums(withoutSums(), systemClock)
  expect(await sums.of(name, request)).toEqual(structuredClone(sum(store, name, request as never)))
  await expect(sums.of(name, { ...request, since: 5_000_000 })).rejects.toThrow('a sum in this thread')
})

test('a sum that waits is refused when Iris stops', async () => {
  const sums = new Sums(store, systemClock)
  const both = [sums.of('pairs', { since: 0 }), sums.of('pairs', { since: 0 })]
  const refusals = Promise.all(both.map((each) => expect(each).rejects.toMatchObject({ code: 'store_unavailable' })))
  await sums.close()
  await refusals
})
