import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeTables } from './database.ts'
import { SessionList, type SessionListFilter } from './session-list.ts'
import { SessionTurns } from './session-turns.ts'
import { Statistics } from './statistics.ts'
import { StatisticsOverTime } from './statistics-over-time.ts'

const database = new DatabaseSync(':memory:')
const sessions = 100_000
const teams = 50
const everything = { participants: [], from: undefined, to: undefined, thread: undefined, since: undefined }
const everyLive: SessionListFilter = {
  ...everything,
  status: 'live',
  origin: undefined,
  words: [],
  rows: undefined,
  after: undefined,
}

beforeAll(() => {
  makeTables(database)
  // Session n was used at n; each tenth is archived. Session 1 has one hundred turns: the n-th took n ms.
  database.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${sessions})
    INSERT INTO team_sessions (from_team, to_team, thread, session_id, created_at, last_used_at, message_count, status)
      SELECT 'team' || (n % ${teams}), 'team' || (n % 7), 't' || n, 's' || n, 0, n, 1,
        CASE WHEN n % 10 = 0 THEN 'archived' ELSE 'active' END FROM numbers;
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100)
    INSERT INTO turns (id, session, message, hop, awaited, state, outcome, usage, accepted_at, settled_at)
      SELECT 'turn' || n, 1, '', 1, 1, 'settled', CASE WHEN n = 100 THEN 'failed' ELSE 'completed' END,
        json_object('inputTokens', 1, 'outputTokens', 2, 'cacheReadTokens', 3, 'cacheWriteTokens', n % 2), 1000, 1000 + n
      FROM numbers;
    UPDATE team_sessions SET context_tokens = 10 * id, context_window = CASE id WHEN 2 THEN 20 ELSE 1000 END WHERE id < 5;
  `)
})
afterAll(() => database.close())

/** SQLite's plans for the queries that `work` makes. */
function planOf(work: (explained: DatabaseSync) => unknown): string {
  const plans: string[] = []
  const prepare = (sql: string) => ({
    all: (...values: string[]) => {
      const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values)
      plans.push(...steps.map(({ detail }) => String(detail)))
      return []
    },
  })
  work({ prepare } as unknown as DatabaseSync)
  return plans.join('; ')
}

describe('a page of a hundred thousand sessions', () => {
  const list = new SessionList(database)
  const page = (filter: Partial<SessionListFilter>, limit = 3) =>
    list.page({ ...everyLive, ...filter }, limit).map(({ id }) => id)

  test('is the last used ones, and goes on where it ended', () => {
    expect(page({})).toEqual([99_999, 99_998, 99_997])
    expect(page({ after: { lastUsedAt: 99_992, id: 99_992 } })).toEqual([99_991, 99_989, 99_988])
    expect(page({ status: 'archived' })).toEqual([100_000, 99_990, 99_980])
    expect(page({ from: 'team1', to: 'team1' })).toEqual([99_751, 99_401, 99_051])
    expect(page({ rows: { ids: [5, 7], among: true } })).toEqual([7, 5])
    expect(page({ rows: { ids: [99_999], among: false } })).toEqual([99_998, 99_997, 99_996])
    expect(page({ participants: ['team3'], since: 99_998 })).toEqual([99_998])
    expect(page({ words: ['T12345'] })).toEqual([12_345])
    expect(page({ words: ['team17', 't9'] })).toEqual([99_967, 99_917, 99_867])
    expect(page({ words: ['100%'] })).toEqual([])
    expect(page({ participants: ['team4', 'team49'], since: 99_000 })).toEqual([99_999, 99_649, 99_299])
  })

  test.each([
    ['the live ones', everyLive],
    ['all', { ...everyLive, status: 'all' as const }],
    ['those after another', { ...everyLive, after: { lastUsedAt: 5, id: 5 } }],
  ])('of %s is read from an index in its order, and nothing is sorted', (_, filter) => {
    const plan = planOf((explained) => new SessionList(explained).page(filter, 3))
    expect(plan).toMatch(/USING INDEX/)
    expect(plan).not.toMatch(/TEMP B-TREE/)
  })
})

describe('statistics', () => {
  const statistics = new Statistics(database)

  test('give the median and the 95th percentile of completed turns, by the nearest rank', () => {
    expect(statistics.answerTimes(everything)).toEqual({ count: 99, p50: 50, p95: 95, p99: 99 })
    expect(statistics.answerTimes({ ...everything, since: 2000 })).toEqual({
      count: 0,
      p50: null,
      p95: null,
      p99: null,
    })
  })

  test('leave out the time in which people were asked', () => {
    database.exec(`BEGIN;
      INSERT INTO permissions (id, session, process_start, turn, tool_use_id, tool_name, input, input_hash, suggestions,
        directory, chain, asked_at, deadline, state, decided_at, decided_by)
      SELECT 'p' || value, 1, 'x', 'turn99', 't' || value, 'Bash', '{}', '', '[]', '/', '[]', 1000 + 49 * value, 9000,
        'allowed', 1049 + 49 * value, 'owner' FROM json_each('[0, 1]')`)
    try {
      expect(statistics.answerTimes(everything)).toEqual({ count: 99, p50: 49, p95: 94, p99: 98 })
      const buckets = { begin: 0, end: 2000, sizeMs: 2000, participant: undefined }
      expect(new StatisticsOverTime(database).answerTimes(buckets)).toMatchObject([{ bucket: 0, p50: 49, p95: 94 }])
      const [turn] = new SessionTurns(database).page(1, 98, 1, 10)
      expect(turn).toMatchObject({ id: 'turn99', personMs: 98 })
    } finally {
      database.exec('ROLLBACK')
    }
    expect(new SessionTurns(database).page(1, 98, 1, 10)).toMatchObject([{ personMs: null }])
  })

  test('sum each kind of token by itself', () => {
    const sums = { inputTokens: 100, outputTokens: 200, cacheReadTokens: 300, cacheWriteTokens: 50, costUsd: 0 }
    expect(statistics.tokens(everything)).toEqual(sums)
  })

  test('name the fullest contexts by their share of the real window', () => {
    const share = (n: number, contextWindow: number) => ({
      from: `team${n}`,
      to: `team${n}`,
      thread: `t${n}`,
      sessionId: `s${n}`,
      contextTokens: 10 * n,
      contextWindow,
    })
    expect(statistics.fullest(everything)).toEqual([share(2, 20), share(4, 1000), share(3, 1000), share(1, 1000)])
  })

  test('count sessions, and how their turns ended', () => {
    expect(statistics.sessions(everything)).toMatchObject({ total: sessions, live: 90_000, mostMessages: 1 })
    expect(statistics.sessions(everything)).toMatchObject({ averageLifetime: 50_000.5, longestLifetime: 100_000 })
    expect(statistics.lifetimes(everything)).toEqual([
      { upToMs: 60_000, sessions: 60_000 },
      { upToMs: 600_000, sessions: 40_000 },
    ])
    expect(statistics.tokensPerSession(everything)).toEqual({ average: 650, most: 650 })
    expect(statistics.tokensPerSession({ ...everything, since: 2000 })).toEqual({ average: null, most: null })
    expect(statistics.outcomes(everything)).toEqual(
      new Map([
        ['completed', 99],
        ['failed', 1],
      ]),
    )
  })
})
