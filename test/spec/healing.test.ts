import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PublishedEvent } from '../../src/base/protocol/event.ts'
import { type FaultName, faultNames } from '../../src/features/insight/faults.ts'
import { Healing } from '../../src/features/insight/healing.ts'
import { HealingRows } from '../../src/features/insight/rows/healings.ts'
import type { Config } from '../../src/platform/config/config.ts'
import { ask } from '../support/call-tool.ts'
import { hurried } from '../support/hurried.ts'
import { newStore } from '../support/new-store.ts'
import { asOwner } from '../support/owner.ts'
import { Stage } from '../support/stage.ts'

const on = { insight: { healing: true } } as Config

type Healings = { fault: string; subject: string; foundAt: number; healedAt: number | null; undo?: string }[]

type Entry = { action: string; detail: Record<string, unknown> }

const ids = { from: 'frontend', to: 'backend', thread: 'main', sessionId: 'id' }
const settled = { type: 'turn-settled', turnId: 'turn', outcome: 'completed', reason: null, ...ids }

/** Each fault: the event that reports it, an event that proves nothing, and the one that proves it healed. */
const cases: Readonly<Record<FaultName, readonly [found: object, other: object, proof: object]>> = {
  crash_loop: [
    { type: 'breaker-opened', teamName: 'backend', cause: 'it dies', retryAt: 5, ...ids },
    settled,
    { type: 'breaker-closed', teamName: 'backend', ...ids },
  ],
  process_died: [
    { type: 'process-terminated', teamName: 'backend', pid: 1, why: 'crashed', died: true, ...ids },
    { ...settled, from: 'mobile' },
    settled,
  ],
  stuck_queue: [{ ...settled, outcome: 'failed', reason: 'hung' }, { ...settled, outcome: 'cancelled' }, settled],
  full_context: [
    { type: 'session-context', isFull: true, contextTokens: 9, contextWindow: 10, ...ids },
    settled,
    { type: 'session-context', isFull: false, contextTokens: 1, contextWindow: 10, ...ids },
  ],
  missing_transcript: [
    { type: 'session-archived', why: 'its transcript is gone', planned: false, ...ids },
    { ...settled, thread: 'other' },
    settled,
  ],
  lost_link: [
    { type: 'link-lost', teamName: 'backend', host: 'studio', why: 'cut', ...ids },
    { type: 'link-restored', teamName: 'backend', host: 'studio', lostMs: 1, ...ids, thread: 'other' },
    { type: 'link-restored', teamName: 'backend', host: 'studio', lostMs: 1, ...ids },
  ],
  account_limit: [
    { type: 'account-limited', team: 'backend', window: 'five_hour', until: 2000 },
    settled,
    { type: 'turn-delivered', turnId: 'turn', queuedMs: 1, ...ids },
  ],
  login: [
    { type: 'account-limited', team: 'backend', window: 'login', until: 9 },
    { type: 'turn-delivered', turnId: 'turn', queuedMs: 1, ...ids },
    settled,
  ],
  damaged_store: [{ type: 'store-rebuilt', rebuilt: { foundAt: 400 } }, settled, { type: 'health-check' }],
  rejected_config: [
    { type: 'config-rejected', problems: [], text: '' },
    settled,
    { type: 'config-reloaded', teamsAdded: [], teamsRemoved: [], keys: [], needsRestart: [] },
  ],
}

describe('the table of faults', () => {
  test.each(faultNames)('%s is found once, stays open until its own proof, and is healed once', (fault) => {
    const published: { type: string }[] = []
    const rows = new HealingRows(newStore())
    const healing = new Healing({ rows, config: () => on, publish: (event) => published.push(event) })
    const say = (event: object, at: number) => healing.take({ ...event, at, sequence: at } as PublishedEvent)
    const [found, other, proof] = cases[fault]
    const atOnce = fault === 'damaged_store'
    say(found, 1000)
    if (!atOnce) say(found, 1001)
    say(other, 1500)
    expect(rows.open().map((row) => row.fault)).toEqual(atOnce ? [] : [fault])
    say(proof, 3000)
    say(proof, 3001)
    const all = rows.list({ since: 0, until: 9000, limit: 9 })
    expect(all).toMatchObject([{ fault, foundAt: atOnce ? 400 : 1000, healedAt: atOnce ? 1000 : 3000 }])
    expect(published.map(({ type }) => type)).toEqual(['fault-found', 'fault-healed'])
    // Nothing that Iris does by itself destroys anything.
    expect(`${all[0]!.action} ${all[0]!.undo ?? ''}`).not.toMatch(/delet|remov|discard|eras/)
  })

  test('what is open outlives a restart', () => {
    const rows = new HealingRows(newStore())
    const publish = () => {}
    const [found, , proof] = cases.process_died
    new Healing({ rows, config: () => on, publish }).take({ ...found, at: 1, sequence: 1 } as PublishedEvent)
    new Healing({ rows, config: () => on, publish }).take({ ...proof, at: 2, sequence: 2 } as PublishedEvent)
    expect(rows.open()).toEqual([])
  })
})

describe('in a running Iris', () => {
  let stage: Stage
  beforeAll(async () => {
    const die = [{ stderr: 'no space left\n' }, { kill: 'SIGKILL' as const }]
    const rules = ['crash', '<iris-continuation>'].map((when) => ({ when, steps: die }))
    stage = await Stage.start({ script: { flushDelayMs: 0, rules } })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const say = (message: string) => ask(stage.iris, 'backend', message, { fromTeam: 'frontend' })
  const healings = async () => (await asOwner(stage.iris, 'list_healings', {}))['healings'] as Healings

  test('a crash loop is found, held, tried again and healed by an answer, with its time', async () => {
    await say('hello')
    await hurried(stage, say('crash'))
    await hurried(stage, say('crash'))
    await stage.iris.event('breaker-opened')
    expect(await healings()).toMatchObject([
      { fault: 'crash_loop', subject: 'frontend→backend', healedAt: null, undo: 'the wait is lifted' },
      { fault: 'process_died', subject: 'frontend→backend', healedAt: null },
    ])
    await stage.clock.jump(60_000)
    const { turnId } = await say('hello again')
    await stage.iris.event('fault-healed', ({ fault }) => fault === 'crash_loop')
    for (const { foundAt, healedAt } of await healings()) expect(healedAt! - foundAt).toBeGreaterThanOrEqual(60_000)
    const { entries } = (await asOwner(stage.iris, 'list_audit', {})) as { entries: Entry[] }
    expect(entries.filter(({ action }) => action === 'fault.found')).toHaveLength(2)
    // Each with the time that the list of healings has.
    const healed = entries.filter(({ action }) => action === 'fault.healed')
    const times = Object.fromEntries(healed.map(({ detail }) => [detail['fault'], detail['tookMs']]))
    expect(times).toEqual(
      Object.fromEntries((await healings()).map(({ fault, foundAt, healedAt }) => [fault, healedAt! - foundAt])),
    )
    expect(healed).toHaveLength(2)
    // The conversation continued: nothing was thrown away.
    expect(stage.iris.rows(`SELECT status FROM team_sessions WHERE to_team = 'backend'`)).toEqual([
      { status: 'active' },
    ])
    expect(turnId).toBeDefined()
  })

  test('why a message failed names the fault and what Iris did', async () => {
    const [failed] = stage.iris.rows(`SELECT id FROM turns WHERE outcome = 'failed' ORDER BY sequence LIMIT 1`)
    const { steps } = (await asOwner(stage.iris, 'trace_turn', { turnId: String(failed!['id']) })) as {
      steps: { text: string }[]
    }
    expect(steps.map(({ text }) => text).join('\n')).toMatch(/Iris found a fault: its process ended by itself/)
  })
})
