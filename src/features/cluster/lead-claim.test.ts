import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { memoryLogs } from '../../../test/support/memory-network.ts'
import { Lead } from './lead.ts'
import { claim, type TakeLeadParts } from './lead-claim.ts'
import type { LeadParts } from './led-conversation.ts'
import type { EndLetter } from './letters.ts'
import { LogSeal } from './log-seal.ts'
import type { ConversationLogs } from './ports.ts'
import type { LogEnd } from './rows/cluster-begun.ts'
import { Seal } from './seal.ts'

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

const quiet = { began: () => {}, lost: () => {} }
const logEnds = { of: () => undefined, put: () => {} }

/** The hosts studio and tower may lead; thief has a key that nobody knows. */
function partsOf(host: keyof typeof seals, log: ConversationLogs, claims: string = host): LeadParts {
  const keys: Readonly<Record<string, string>> = { studio: seals.studio.publicKey, tower: seals.tower.publicKey }
  const self = () => claims
  const logSeal = new LogSeal({ self, seal: () => seals[host], keyOf: (name) => keys[name] })
  return { clock: new FakeClock(), newId: () => `id-${ids++}`, self, logs: () => log, logSeal, logEnds }
}

function leadOf(host: keyof typeof seals, log: ConversationLogs, claims?: string): Lead {
  return new Lead(partsOf(host, log, claims), quiet, 'backend', 'c')
}

/** Tower as it is after a start: its store remembers the sessions. */
function towerWith(rows: Map<string, object>): TakeLeadParts {
  const sessions = {
    openLive: () => undefined,
    bySessionId: (id: string) => rows.get(id),
    branchOff: (_pair: object, made: { sessionId: string }) => rows.set(made.sessionId, made),
  }
  return {
    self: () => 'tower',
    isAwake: () => false,
    passOn: () => undefined,
    hasHad: () => false,
    another: () => 'mill',
    newId: () => `id-${ids++}`,
    sessions,
    config: () => ({ teams: new Map([['backend', { realPath: '/backend' }]]) }),
    moved: () => {},
    machines: { of: () => ({ claude: {} }) },
    pool: {},
  } as unknown as TakeLeadParts
}

test('a host that stops between taking the lead and accepting the turn still knows what was done of it', async () => {
  const [log, rows] = [memoryLogs(), new Map<string, object>()]
  const [studio, at] = [
    leadOf('studio', log),
    { session: 's', file: async () => undefined, subagents: async () => [], open: () => [] },
  ]
  await studio.add({ kind: 'delivers', turn: 't', uuid: 't', why: 'first' }, at)
  await studio.add({ kind: 'starts', turn: 't', tool }, at)
  const done = { kind: 'ours', earlierWork: { deliveries: [{ uuid: 't', why: 'first' }], toolStarts: [tool] } }
  const tower = leadOf('tower', log)
  expect(await claim(tower, pair, { turn: 't' }, towerWith(rows))).toMatchObject(done)
  // The store refused the turn, and the letter comes again; then Iris was restarted.
  expect(await claim(tower, pair, { turn: 't' }, towerWith(rows))).toMatchObject(done)
  expect(await claim(leadOf('tower', log), pair, { turn: 't' }, towerWith(rows))).toMatchObject(done)
  expect(rows.size).toBe(1)
  expect(await claim(tower, pair, { turn: 'another' }, towerWith(rows))).toEqual({
    kind: 'ours',
    earlierWork: undefined,
  })
})

const end: EndLetter = {
  outcome: 'completed' as const,
  reason: null,
  detail: null,
  answer: 'forged',
  value: null,
  partial: null,
  usage: null,
  background: null,
  contextReset: null,
}

test.each([
  ['as itself', 'thief'],
  ['as the leader, with another key', 'studio'],
] as const)('what an unknown key writes into the log is not believed: %s', async (_what, claims) => {
  const log = memoryLogs()
  const [studio, at] = [
    leadOf('studio', log),
    { session: 's', file: async () => undefined, subagents: async () => [], open: () => [] },
  ]
  await studio.add({ kind: 'delivers', turn: 't', uuid: 't', why: 'first' }, at)
  expect(await leadOf('thief', log, claims).take('x', 0, (await studio.read()).last)).toBe(true)
  await leadOf('thief', log, claims).add({ kind: 'ends', turn: 't', end }, { ...at, session: 'x' })
  const past = await leadOf('tower', log).read()
  expect(past).toMatchObject({ leader: { host: 'studio', session: 's' } })
  expect(past.turns.get('t')?.end).toBeUndefined()
  // The leader continues.
  expect(await studio.add({ kind: 'starts', turn: 't', tool }, at)).toBe(true)
  expect((await leadOf('tower', log).read()).turns.get('t')?.toolStarts).toEqual([tool])
})

test('a record of the leader counts only in its place: not once more, and not in another conversation', async () => {
  const log = memoryLogs()
  const [studio, at] = [
    leadOf('studio', log),
    { session: 's', file: async () => undefined, subagents: async () => [], open: () => [] },
  ]
  await studio.add({ kind: 'delivers', turn: 't', uuid: 't', why: 'first' }, at)
  await studio.add({ kind: 'starts', turn: 't', tool }, at)
  const records = await log.read('backend', 'c', 0)
  await log.append('backend', 'c', records.at(-1)!.bytes, records.length)
  expect((await leadOf('tower', log).read()).turns.get('t')?.toolStarts).toEqual([tool])
  const [other, parts] = [memoryLogs(), { clock: new FakeClock(), newId: () => 'id', self: () => 'tower' }]
  for (const { bytes, number } of records) await other.append('backend', 'd', bytes, number - 1)
  const logSeal = new LogSeal({ ...parts, seal: () => seals.tower, keyOf: () => seals.studio.publicKey })
  const there = await new Lead({ ...parts, logs: () => other, logSeal, logEnds }, quiet, 'backend', 'd').read()
  expect(there).toMatchObject({ leader: undefined, turns: new Map() })
})

test('a host that has lost a turn passes it on when the host that took it is away too, and waits if there is no other', async () => {
  const log = memoryLogs()
  const at = { session: 's', file: async () => undefined, subagents: async () => [], open: () => [] }
  await leadOf('studio', log).add({ kind: 'delivers', turn: 't', uuid: 't', why: 'first' }, at)
  const tower = { ...towerWith(new Map()), hasHad: () => true }
  expect(await claim(leadOf('tower', log), pair, { turn: 't' }, tower)).toEqual({ kind: 'moved', to: 'mill' })
  const alone = { ...tower, another: () => undefined }
  await expect(claim(leadOf('tower', log), pair, { turn: 't' }, alone)).rejects.toThrow(
    'studio continues the conversation, but is away',
  )
})

const known = { host: 'studio', place: { log: 'x', record: 1 } }

/** Studio has begun the turn, and says where the log has that. */
async function begun(log: ConversationLogs) {
  const at = { session: 's', file: async () => undefined, subagents: async () => [], open: () => [] }
  const studio = leadOf('studio', log)
  await studio.add({ kind: 'delivers', turn: 't', uuid: 't', why: 'first' }, at)
  return { studio, at, known: { host: 'studio', place: studio.placeOf('t')! } }
}

test('a turn that another host has begun runs only where the log has all that the asker knows of it', async () => {
  const log = memoryLogs()
  const { studio, at, known: before } = await begun(log)
  const claimed = (of: object, from = log) =>
    claim(leadOf('tower', from), pair, { turn: 't', known, ...of }, towerWith(new Map()))
  // As after a loss of all files: nobody leads.
  expect(await claimed({ known: before }, memoryLogs())).toMatchObject({ kind: 'lacks' })
  // No place is known, only that a line was heard.
  expect(await claimed({ known: { host: 'studio' } }, memoryLogs())).toMatchObject({ kind: 'lacks' })
  // Another log, which was begun after a loss.
  expect(await claimed({})).toMatchObject({ kind: 'lacks', why: expect.stringContaining('have lost their records') })
  // The last record is missing, as where files are older.
  const later = { ...before.place, record: before.place.record + 1 }
  expect(await claimed({ known: { ...before, place: later } })).toMatchObject({ kind: 'lacks' })
  await studio.add({ kind: 'starts', turn: 't', tool }, at)
  const now = { host: 'studio', place: studio.placeOf('t')! }
  expect(now.place).toEqual(later)
  expect(await claimed({ known: now })).toMatchObject({ kind: 'ours', earlierWork: { toolStarts: [tool] } })
  // A turn that is not known to have begun runs, as do other turns.
  expect(await claimed({ known: undefined, turn: 'another' }, memoryLogs())).toEqual({
    kind: 'ours',
    earlierWork: undefined,
  })
})

test('the host that had begun a turn goes on with it without a log, and a host that had lost it does not', async () => {
  const tower = { ...towerWith(new Map()), hasHad: () => true }
  const by = (host: string) =>
    claim(leadOf('tower', memoryLogs()), pair, { turn: 't', known: { ...known, host } }, tower)
  expect(await by('tower')).toMatchObject({ kind: 'ours' })
  expect(await by('studio')).toMatchObject({ kind: 'lacks' })
})

test('a tool start without a delivery says that the turn had begun', async () => {
  const log = memoryLogs()
  const at = { session: 's', file: async () => undefined, subagents: async () => [], open: () => [] }
  await leadOf('studio', log).add({ kind: 'starts', turn: 't', tool }, at)
  const earlierWork = { deliveries: [{ uuid: 't', why: 'first' }], toolStarts: [tool] }
  expect(await claim(leadOf('tower', log), pair, { turn: 't' }, towerWith(new Map()))).toMatchObject({ earlierWork })
})

/** A server whose files can be lost. */
function losing() {
  const all = { log: memoryLogs() }
  const logs: ConversationLogs = {
    read: (...of) => all.log.read(...of),
    append: (...of) => all.log.append(...of),
  }
  return { logs, all }
}

/** Keeps the first records, as files that are older do. */
async function olderLog(log: ConversationLogs, records: number): Promise<ConversationLogs> {
  const older = memoryLogs()
  let last = 0
  for (const { bytes } of (await log.read('backend', 'c', 0)).slice(0, records))
    last = (await older.append('backend', 'c', bytes, last))!
  return older
}

test.each([
  ['gone', 0],
  ['shorter', 2],
])('a leader whose log is %s first writes what the ledger has of open turns, and says where', async (_what, left) => {
  const { logs, all } = losing()
  const [places, losses, ends] = [[] as unknown[], [] as number[][], new Map<string, LogEnd>()]
  const parts = partsOf('studio', logs)
  const logEnds = {
    of: (team: string) => ends.get(team),
    put: (team: string, _of: string, end: LogEnd | undefined) => void (end && ends.set(team, end)),
  }
  const began = (turn: string): void => void places.push(lead.placeOf(turn))
  const lead: Lead = new Lead({ ...parts, logEnds }, { began, lost: (...of) => void losses.push(of) }, 'backend', 'c')
  const deliveries = [{ uuid: 't', why: 'first' as const }]
  const second = { ...tool, toolUseId: 'second' }
  const toolStarts: (typeof tool)[] = []
  const open = () => [{ turn: 't', deliveries, toolStarts }]
  const at = { session: 's', file: async () => undefined, subagents: async () => [], open }
  await lead.add({ kind: 'delivers', turn: 't', uuid: 't', why: 'first' }, at)
  // The ledger has a start before the log.
  toolStarts.push(tool)
  await lead.add({ kind: 'starts', turn: 't', tool }, at)
  all.log = await olderLog(all.log, left)
  toolStarts.push(second)
  expect(await lead.add({ kind: 'starts', turn: 't', tool: second }, at)).toBe(true)
  const past = await leadOf('tower', logs).read()
  expect(past.turns.get('t')).toMatchObject({ deliveries, toolStarts: [tool, second] })
  expect(places.at(-1)).toEqual(lead.placeOf('t'))
  expect(losses).toEqual([[3, left]])
  // Another host takes it from there.
  const known = { host: 'studio', place: lead.placeOf('t')! }
  const taken = await claim(leadOf('tower', logs), pair, { turn: 't', known }, towerWith(new Map()))
  expect(taken).toMatchObject({ kind: 'ours', earlierWork: { toolStarts: [tool, second] } })
})

test('a leader that starts again finds that the log is shorter than it remembers', async () => {
  const log = memoryLogs()
  await begun(log)
  const losses: number[][] = []
  const logEnds = { of: () => ({ number: 7, hash: 'h' }), put: () => {} }
  const listener = { began: () => {}, lost: (...of: number[]) => void losses.push(of) }
  await new Lead({ ...partsOf('studio', log), logEnds }, listener, 'backend', 'c').leader()
  expect(losses).toEqual([[7, 2]])
})
