import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTables } from './database.ts'
import { Statistics } from './statistics.ts'
import { StatisticsOverTime } from './statistics-over-time.ts'
import { UsageRows } from './usage-rows.ts'

const database = new DatabaseSync(':memory:')
const turns = 5000
const everything = { participants: [], from: undefined, to: undefined, thread: undefined, since: undefined }

beforeAll(() => {
  makeTables(database)
  // Two conversations; turn n was accepted at n seconds, but after turn 4000 the clock was set back by five minutes.
  database.exec(`
    INSERT INTO team_sessions (id, from_team, to_team, thread, session_id, created_at, last_used_at, message_count, status)
      VALUES (1, 'a', 'b', '', 's1', 0, 10000000, 1, 'active'), (2, 'c', 'b', '', 's2', 0, 10000000, 1, 'active');
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${turns})
    INSERT INTO turns (id, session, message, hop, awaited, state, outcome, usage, accepted_at, settled_at)
      SELECT 'turn' || n, 1 + n % 2, '', 1, 1, 'settled', 'completed', json_object('inputTokens', 1, 'outputTokens', 1),
        1000 * (n - CASE WHEN n > 4000 THEN 300 ELSE 0 END), 1000 * n + 5 FROM numbers;
  `)
})
afterAll(() => database.close())

const countSince = (since: number): number =>
  Number(database.prepare('SELECT COUNT(*) AS count FROM turns WHERE accepted_at >= ?').get(since)!['count'])

test.each([0, 1_000_000, 3_500_000, 3_900_000, 4_000_000, 4_600_000, 9_000_000])(
  'the sums of the turns since %d miss none, also where the clock was set back',
  (since) => {
    const count = countSince(since)
    const pairs = new UsageRows(database).pairs(since)
    expect(pairs.reduce((sum, { messages }) => sum + messages, 0)).toBe(count)
    const statistics = new Statistics(database)
    expect(statistics.tokens({ ...everything, since })).toMatchObject({ inputTokens: count })
    const buckets = { begin: since, end: 10_000_000, sizeMs: 60_000, participant: undefined }
    const over = new StatisticsOverTime(database).outcomes(buckets)
    expect(over.reduce((sum, { count: each }) => sum + each, 0)).toBe(count)
  },
)

/** The parts of the query plans of `work` that say how the table of turns is read. */
function readsOfTurns(work: (explained: DatabaseSync) => unknown): string[] {
  const plans: string[] = []
  const explained = new Proxy(database, {
    get: (target, key) => {
      if (key !== 'prepare') return Reflect.get(target, key)
      return (sql: string) => {
        const all = (...values: never[]) => {
          const steps = target.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values)
          if (/accepted_at >=/.test(sql)) plans.push(...steps.map(({ detail }) => String(detail)))
          return []
        }
        return /accepted_at >=/.test(sql) ? { all, get: all } : target.prepare(sql)
      }
    },
  })
  work(explained)
  return plans.filter((step) => /\bturns\b/.test(step))
}

test('an hour is read from the turns of that hour, not from all turns', () => {
  const since = 4_600_000
  const buckets = { begin: since, end: 10_000_000, sizeMs: 60_000, participant: undefined }
  const reads = readsOfTurns((explained) => {
    new UsageRows(explained).pairs(since)
    const statistics = new Statistics(explained)
    statistics.tokens({ ...everything, since })
    statistics.outcomes({ ...everything, since })
    statistics.answerTimes({ ...everything, since })
    statistics.busiestPairs({ ...everything, since })
    const overTime = new StatisticsOverTime(explained)
    overTime.outcomes(buckets)
    overTime.answerTimes(buckets)
  })
  expect(reads).toHaveLength(7)
  for (const read of reads) expect(read).toMatch(/sequence>\?|rowid>\?/)
})
