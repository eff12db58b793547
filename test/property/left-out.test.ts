import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Ask } from '../../src/kernel/turn/ask.ts'
import { floors } from '../architecture/import-table.ts'
import { messageOf, type Plan } from './question.ts'
import { Theatre } from './schedule.ts'
import type { Simulation } from './simulation.ts'

/** Iris composed without one feature, on a store that has its rows, in virtual time. */
let theatre: Theatre
beforeAll(async () => {
  theatre = await Theatre.open()
})
afterAll(() => theatre[Symbol.dispose]())

const { features = {} } = floors

/** The feature, and all that import it. */
function withUsers(feature: string): ReadonlySet<string> {
  const left = new Set([feature])
  for (const [name, imports] of Object.entries(features)) if (imports.some((each) => left.has(each))) left.add(name)
  return left
}

/** Features that have no part in composing Iris: others import what they have. */
const withoutParts = new Set(['reports'])
const hourMs = 3_600_000
const answers: Plan = { steps: [], end: 'answer' }

const about = { seed: 0, flushDelayMs: 0, contextWindow: 200_000, settings: {} }

async function ask(simulation: Simulation, plan = answers, more: Partial<Ask> = {}) {
  const question = simulation.pose(plan, 'external', 'a', 'main')
  const { parts } = simulation.daemon!
  const pair = { from: 'external', to: 'a', thread: 'main' }
  const message = messageOf(question)
  return parts.turns.ask({ pair, message, waits: false, idempotencyKey: undefined, parent: undefined, ...more })
}

async function outcomeOf(simulation: Simulation, turnId: string): Promise<string | null | undefined> {
  const row = () => simulation.daemon?.parts.turns.rowOf(turnId)
  await simulation.time.pass(hourMs, () => row()?.state === 'settled')
  return row()?.outcome
}

const names = Object.keys(features).filter((name) => !withoutParts.has(name))

test.each(names)('without %s a message is accepted, run once, survives a crash and is answered', async (name) => {
  using stage = theatre.simulation(about)
  const { simulation } = stage
  const before = await ask(simulation)
  expect(await outcomeOf(simulation, before.id)).toBe('completed')
  simulation.leaveOut(withUsers(name))
  await simulation.restart(0)
  const { features: opened } = simulation.daemon!
  expect(opened.list.map((each) => each.name)).not.toContain(name)
  const quiet = await ask(simulation)
  expect(await outcomeOf(simulation, quiet.id)).toBe('completed')
  const { life } = simulation.daemon!
  simulation.crashAt('written', 1, 'SIGTERM', 0)
  const crashed = await ask(simulation)
  expect(await outcomeOf(simulation, crashed.id)).toBe('completed')
  expect(life.hasEnded).toBe(true)
  const ran = simulation.machine.oracle.filter((entry) => entry.event === 'message' && entry.uuid === crashed.id)
  expect(ran).toHaveLength(1)
  expect(simulation.broken).toEqual([])
})

const needing: readonly (readonly [feature: string, more: Partial<Ask>])[] = [
  ['typed', { responseSchema: { type: 'object' } }],
  ['attachments', { attachments: [{ name: 'a.txt', content: Buffer.from('a') }] }],
  ['budgets', { budget: { turns: 5 } }],
  ['roles', { role: 'chat_bot' }],
]

test.each(needing)('without %s a message that needs it is refused', async (name, more) => {
  using stage = theatre.simulation(about)
  const { simulation } = stage
  simulation.leaveOut(withUsers(name))
  await simulation.restart(0)
  await expect(ask(simulation, answers, more)).rejects.toMatchObject({ code: 'feature_missing' })
  expect(simulation.daemon!.parts.ledger.unsettled()).toEqual([])
})

test.each(needing)('without %s a message that needs it, accepted before, fails', async (name, more) => {
  using stage = theatre.simulation(about)
  const { simulation } = stage
  const thinking: Plan = { steps: [{ do: 'think', ms: 400_000 }], end: 'answer' }
  const { id } = await ask(simulation, thinking, more)
  simulation.leaveOut(withUsers(name))
  simulation.crash('SIGTERM', 0)
  expect(await outcomeOf(simulation, id)).toBe('failed')
  expect(simulation.daemon!.parts.turns.rowOf(id)).toMatchObject({ reason: 'feature_missing' })
})

test('without permission no tool runs', async () => {
  using stage = theatre.simulation(about)
  const { simulation } = stage
  const writing: Plan = { steps: [{ do: 'write', ms: 0 }], end: 'answer' }
  const tools = () => simulation.machine.oracle.filter(({ event }) => event === 'tool').length
  const before = await ask(simulation, writing)
  await outcomeOf(simulation, before.id)
  expect(tools()).toBe(1)
  simulation.leaveOut(withUsers('permission'))
  await simulation.restart(0)
  const after = await ask(simulation, writing)
  await outcomeOf(simulation, after.id)
  expect(tools()).toBe(1)
})

test('without audit no call that must be recorded is done', async () => {
  using stage = theatre.simulation(about)
  const { simulation } = stage
  simulation.leaveOut(withUsers('audit'))
  await simulation.restart(0)
  const { seams } = simulation.daemon!.parts
  const entry = { at: 0, actor: 'owner', action: 'team_sleep', subject: 'a' }
  expect(() => seams.audit.record(entry)).toThrowError(expect.objectContaining({ code: 'feature_missing' }))
})
