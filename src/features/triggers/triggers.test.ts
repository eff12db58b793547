import { beforeEach, describe, expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { newStore } from '../../../test/support/new-store.ts'
import { senders } from '../../../test/support/senders.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { type Pair, pairText } from '../../base/protocol/pair.ts'
import { roleThread } from '../../base/protocol/role.ts'
import { CallLimit } from '../../kernel/call/call-limit.ts'
import type { Ask } from '../../kernel/turn/ask.ts'
import { Counter } from '../../platform/metrics/counter.ts'
import type { Store } from '../../platform/store/store.ts'
import { TriggerRows } from './rows.ts'
import { Triggers, type TriggersParts } from './triggers.ts'

const hour = 3_600_000
const day = 24 * hour
const secret = 'a secret that is as long as it must be'
const trigger = {
  name: 'hook',
  secretFile: 'not read here',
  scheme: 'github',
  team: 'backend',
  role: 'chat_bot',
  thread: 'issue-{{number}}',
  message: 'It is {{number}}.',
}

let clock: FakeClock
let store: Store
let asked: Ask[]
/** The error with which the kernel refuses the next messages. */
let refusal: IrisError | undefined
let open: Set<string>
let archived: string[]
let told: string[]
let perMinute: number
let triggers: Triggers
beforeEach(() => {
  clock = new FakeClock()
  store = newStore()
  ;[asked, refusal, open, archived, told, perMinute] = [[], undefined, new Set(), [], [], 1000]
  const log = { warn: () => {} }
  triggers = new Triggers({
    clock,
    log,
    config: () => ({ triggers: new Map([['hook', trigger]]) }),
    rows: new TriggerRows(store),
    secrets: { of: async (known: unknown) => (known === undefined ? [] : [secret]) },
    turns: {
      ask: async (ask: Ask) => {
        if (refusal) throw refusal
        const id = `turn-${asked.length + 1}`
        ask.alongside?.(id)
        asked.push(ask)
        open.add(pairText(withRole(ask)))
        return { id }
      },
      handle: (id: string) => ({ id, durable: async () => {} }),
    },
    sessions: {
      openLive: (pair: Pair) =>
        open.has(pairText(pair)) ? { queue: [], row: { ...pair, status: 'active' } } : undefined,
      end: ({ row }: { row: Pair }) => void archived.push(row.thread),
    },
    pool: { stop: async () => true },
    callLimit: new CallLimit({ clock, perMinute: () => perMinute }),
    refusals: { record: () => {} },
    calls: new Counter('iris_calls_total', ''),
    newWord: () => 'f00d',
    tell: ({ name }: { name: string }) => void told.push(name),
  } as unknown as TriggersParts)
})

const withRole = ({ pair, role }: Ask): Pair => ({ ...pair, thread: roleThread(role!, pair.thread) })
const send = (event: object, key = secret) => {
  const body = JSON.stringify(event)
  const headers = senders.github(key, { body })
  return triggers.take('hook', { header: (name) => headers[name], body: Buffer.from(body) })
}

describe('an event', () => {
  test('is one message for 30 days, however often it comes, and at the same moment', async () => {
    const both = await Promise.all([send({ number: 1 }), send({ number: 1 }), send({ number: 2 })])
    expect(both).toEqual([
      { what: 'accepted', turnId: 'turn-1' },
      { what: 'repeated', turnId: 'turn-1' },
      { what: 'accepted', turnId: 'turn-2' },
    ])
    await clock.advance(30 * day - 1)
    expect(await send({ number: 1 })).toEqual({ what: 'repeated', turnId: 'turn-1' })
    await clock.advance(1)
    expect(await send({ number: 1 })).toEqual({ what: 'accepted', turnId: 'turn-3' })
    expect(await send({ number: 1 })).toEqual({ what: 'repeated', turnId: 'turn-3' })
    // The keys of turns are forever: each has the time of the first event.
    const keys = asked.map(({ idempotencyKey }) => idempotencyKey)
    expect(new Set(keys).size).toBe(3)
    expect(keys[0]).toMatch(/^trigger:hook\0[0-9a-f]{64}\0/)
  })

  test('that was refused for now is taken when it comes again, and says when', async () => {
    for (const code of ['queue_full', 'shutting_down', 'store_unavailable', 'over_budget', 'limited'] as const) {
      refusal = new IrisError(code, 'The queue of backend is full behind turn 7.', 'Wait.')
      const refused = await send({ number: 1 }).catch((error: IrisError) => error)
      expect(refused).toMatchObject({ code, retryAfterMs: 30_000, message: 'Iris cannot accept this event now.' })
    }
    refusal = undefined
    expect(await send({ number: 1 })).toEqual({ what: 'accepted', turnId: 'turn-1' })
    expect(triggers.countsOf('hook')).toEqual(
      new Map([
        ['busy', 5],
        ['accepted', 1],
      ]),
    )
    expect(told).toEqual([])
  })

  test('that can never become a message is said to its owner, and not why to the sender of a wrong one', async () => {
    expect(await send({ title: 'x' })).toEqual({ what: 'unusable', why: 'it has nothing at number' })
    refusal = new IrisError('not_allowed', 'The role "chat_bot" may not ask backend.', 'Ask another.')
    expect(await send({ number: 1 })).toMatchObject({ what: 'unusable' })
    expect(told).toEqual(['hook', 'hook'])
    expect(triggers.problemOf('hook')).toEqual({ why: 'The role "chat_bot" may not ask backend.', at: clock.now() })
    await expect(send({ number: 1 }, 'another secret that is as long')).rejects.toMatchObject({ code: 'unauthorized' })
    expect(told).toHaveLength(2)
  })

  test('nested too deep is no event', async () => {
    const body = `{"number":${'['.repeat(1000)}${']'.repeat(1000)}}`
    const headers = senders.github(secret, { body })
    const taken = await triggers.take('hook', { header: (name) => headers[name], body: Buffer.from(body) })
    expect(taken).toMatchObject({ what: 'unusable' })
  })
})

describe('a trigger', () => {
  test('begins 64 conversations within a day, and a known conversation goes on', async () => {
    for (let number = 1; number <= 64; number += 1) await send({ number })
    await expect(send({ number: 65 })).rejects.toMatchObject({ code: 'too_many_starts', retryAfterMs: 3_600_000 })
    expect(await send({ number: 1, again: true })).toMatchObject({ what: 'accepted' })
    await clock.advance(day)
    expect(await send({ number: 65 })).toMatchObject({ what: 'accepted' })
  })

  test('counts the verified requests of a minute, and no others', async () => {
    perMinute = 2
    for (let times = 0; times < 10; times += 1)
      await expect(send({ number: 1 }, 'another secret that is as long')).rejects.toMatchObject({
        code: 'unauthorized',
      })
    await send({ number: 1 })
    await send({ number: 1 })
    await expect(send({ number: 1 })).rejects.toMatchObject({ code: 'too_many_calls', retryAfterMs: 30_000 })
    expect(triggers.countsOf('hook').get('refused')).toBe(10)
  })

  test('archives what no event has used for a week, and forgets events that count as new', async () => {
    await clock.advance(40 * day)
    await send({ number: 1 })
    store.exec(
      `INSERT INTO team_sessions (from_team, to_team, thread, session_id, created_at, last_used_at, origin)
       VALUES ('trigger:hook', 'backend', 'role:chat_bot:issue-1', 's1', 0, ${clock.now() - 7 * day - 1}, 'new'),
         ('trigger:hook', 'backend', 'role:chat_bot:issue-2', 's2', 0, ${clock.now() - 6 * day}, 'new'),
         ('external', 'backend', 'main', 's3', 0, 0, 'new')`,
    )
    await triggers.tidy()
    expect(archived).toEqual(['role:chat_bot:issue-1'])
    const rows = () => store.prepare('SELECT COUNT(*) AS count FROM trigger_seen').get()!['count']
    expect(rows()).toBe(1)
    await clock.advance(30 * day + 1)
    await triggers.tidy()
    expect(rows()).toBe(0)
  })
})
