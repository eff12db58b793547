import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { memoryLogs } from '../../../test/support/memory-network.ts'
import { Lead } from './lead.ts'
import type { EndLetter } from './letters.ts'
import { LogSeal } from './log-seal.ts'
import type { ConversationLogs } from './ports.ts'
import { Seal } from './seal.ts'
import { claim, type TakeLeadParts } from './take-lead.ts'

const pair = { from: 'frontend@laptop', to: 'backend', thread: 'main' }
const tool = {
  toolUseId: 'u',
  delivery: 't',
  within: null,
  name: 'Bash',
  inputHash: 'h',
  inputShort: 'make',
  startedAt: 1,
}
let ids = 0

const seals = { studio: new Seal(Seal.make()), tower: new Seal(Seal.make()), thief: new Seal(Seal.make()) }

/** The hosts studio and tower may lead; thief has a key that nobody knows. */
function leadOf(host: keyof typeof seals, log: ConversationLogs, claims: string = host): Lead {
  const keys: Readonly<Record<string, string>> = { studio: seals.studio.publicKey, tower: seals.tower.publicKey }
  const self = () => claims
  const logSeal = new LogSeal({ self, seal: () => seals[host], keyOf: (name) => keys[name] })
  const parts = { clock: new FakeClock(), newId: () => `id-${ids++}`, self, logs: () => log, logSeal }
  return new Lead(parts, 'backend', 'c')
}

/** Tower as it is after a start: its store remembers the sessions. */
function towerWith(rows: Map<string, object>): TakeLeadParts {
  const sessions = {
    find: () => undefined,
    bySessionId: (id: string) => rows.get(id),
    branchOff: (_pair: object, made: { sessionId: string }) => rows.set(made.sessionId, made),
  }
  return {
    ...{
      self: () => 'tower',
      isAwake: () => false,
      passOn: () => undefined,
      hasHad: () => false,
      another: () => 'mill',
      newId: () => `id-${ids++}`,
      sessions,
    },
    config: () => ({ teams: new Map([['backend', { realPath: '/backend' }]]) }),
    ...{ moved: () => {}, machines: { of: () => ({ claude: {} }) }, pool: {} },
  } as unknown as TakeLeadParts
}

test('a host that stops between taking the lead and accepting the turn still knows what was done of it', async () => {
  const [log, rows] = [memoryLogs(), new Map<string, object>()]
  const [studio, at] = [leadOf('studio', log), { session: 's', file: async () => undefined, subagents: async () => [] }]
  await studio.add({ kind: 'delivers', turn: 't', uuid: 't', why: 'first' }, at)
  await studio.add({ kind: 'starts', turn: 't', tool }, at)
  const done = { kind: 'ours', takenFrom: { deliveries: [{ uuid: 't', why: 'first' }], toolStarts: [tool] } }
  const tower = leadOf('tower', log)
  expect(await claim(tower, pair, 't', towerWith(rows))).toMatchObject(done)
  // The store refused the turn, and the letter comes again; then Iris was restarted.
  expect(await claim(tower, pair, 't', towerWith(rows))).toMatchObject(done)
  expect(await claim(leadOf('tower', log), pair, 't', towerWith(rows))).toMatchObject(done)
  expect(rows.size).toBe(1)
  expect(await claim(tower, pair, 'another', towerWith(rows))).toEqual({ kind: 'ours', takenFrom: undefined })
})

const end: EndLetter = {
  ...{ outcome: 'completed' as const, reason: null, detail: null, answer: 'forged', value: null },
  ...{ partial: null, usage: null, background: null, contextReset: null },
}

test.each([
  ['as itself', 'thief'],
  ['as the leader, with another key', 'studio'],
] as const)('what an unknown key writes into the log is not believed: %s', async (_what, claims) => {
  const log = memoryLogs()
  const [studio, at] = [leadOf('studio', log), { session: 's', file: async () => undefined, subagents: async () => [] }]
  await studio.add({ kind: 'delivers', turn: 't', uuid: 't', why: 'first' }, at)
  expect(await leadOf('thief', log, claims).take('x', 0, (await studio.read()).last)).toBe(true)
  await leadOf('thief', log, claims).add({ kind: 'ends', turn: 't', end }, { ...at, session: 'x' })
  const past = await leadOf('tower', log).read()
  expect(past).toMatchObject({ leader: { host: 'studio', session: 's' } })
  expect(past.turns.get('t')?.end).toBeUndefined()
  // The leader goes on.
  expect(await studio.add({ kind: 'starts', turn: 't', tool }, at)).toBe(true)
  expect((await leadOf('tower', log).read()).turns.get('t')?.toolStarts).toEqual([tool])
})

test('a record of the leader counts only in its place: not once more, and not in another conversation', async () => {
  const log = memoryLogs()
  const [studio, at] = [leadOf('studio', log), { session: 's', file: async () => undefined, subagents: async () => [] }]
  await studio.add({ kind: 'delivers', turn: 't', uuid: 't', why: 'first' }, at)
  await studio.add({ kind: 'starts', turn: 't', tool }, at)
  const records = await log.read('backend', 'c', 0)
  await log.append('backend', 'c', records.at(-1)!.bytes, records.length)
  expect((await leadOf('tower', log).read()).turns.get('t')?.toolStarts).toEqual([tool])
  const [other, parts] = [memoryLogs(), { clock: new FakeClock(), newId: () => 'id', self: () => 'tower' }]
  for (const { bytes, number } of records) await other.append('backend', 'd', bytes, number - 1)
  const logSeal = new LogSeal({ ...parts, seal: () => seals.tower, keyOf: () => seals.studio.publicKey })
  const there = await new Lead({ ...parts, logs: () => other, logSeal }, 'backend', 'd').read()
  expect(there).toMatchObject({ leader: undefined, turns: new Map() })
})

test('a host that has lost a turn passes it on when the host that took it is away too, and waits if there is no other', async () => {
  const log = memoryLogs()
  const at = { session: 's', file: async () => undefined, subagents: async () => [] }
  await leadOf('studio', log).add({ kind: 'delivers', turn: 't', uuid: 't', why: 'first' }, at)
  const tower = { ...towerWith(new Map()), hasHad: () => true }
  expect(await claim(leadOf('tower', log), pair, 't', tower)).toEqual({ kind: 'moved', to: 'mill' })
  const alone = { ...tower, another: () => undefined }
  await expect(claim(leadOf('tower', log), pair, 't', alone)).rejects.toThrow('studio goes on with it, and is away')
})
