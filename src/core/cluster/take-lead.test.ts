import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { Lead } from './lead.ts'
import type { ConversationLogs, LogRecord } from './ports.ts'
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

function logs(): ConversationLogs {
  const records: LogRecord[] = []
  return {
    read: async (_team, _conversation, after) => records.filter(({ number }) => number > after),
    async append(_team, _conversation, bytes, last) {
      if ((records.at(-1)?.number ?? 0) !== last) return undefined
      records.push({ number: last + 1, bytes })
      return last + 1
    },
  }
}

function leadOf(host: string, log: ConversationLogs): Lead {
  const parts = { clock: new FakeClock(), newId: () => `id-${ids++}`, self: () => host, logs: () => log }
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
    ...{ self: () => 'tower', isAwake: () => false, passOn: () => undefined, newId: () => `id-${ids++}`, sessions },
    config: () => ({ teams: new Map([['backend', { realPath: '/backend' }]]) }),
    ...{ log: { warn: () => {} }, machines: { of: () => ({ claude: {} }) }, pool: {} },
  } as unknown as TakeLeadParts
}

test('a host that stops between taking the lead and accepting the turn still knows what was done of it', async () => {
  const [log, rows] = [logs(), new Map<string, object>()]
  const [studio, at] = [leadOf('studio', log), { session: 's', file: async () => undefined }]
  await studio.add({ kind: 'delivers', turn: 't', uuid: 't', why: 'first' }, at)
  await studio.add({ kind: 'starts', turn: 't', tool }, at)
  const done = { kind: 'ours', takenFrom: { deliveries: [{ uuid: 't', why: 'first' }], toolStarts: [tool] } }
  const tower = leadOf('tower', log)
  expect(await claim(tower, pair, 't', towerWith(rows))).toMatchObject(done)
  // The store refused the turn, and the letter comes again; then Iris was started anew.
  expect(await claim(tower, pair, 't', towerWith(rows))).toMatchObject(done)
  expect(await claim(leadOf('tower', log), pair, 't', towerWith(rows))).toMatchObject(done)
  expect(rows.size).toBe(1)
  expect(await claim(tower, pair, 'another', towerWith(rows))).toEqual({ kind: 'ours', takenFrom: undefined })
})
