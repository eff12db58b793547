import { expect, test } from 'vitest'
import { manyKept } from '../../../base/protocol/attachment.ts'
import { problemsOf } from './health-problems.ts'

type Figures = Parameters<typeof problemsOf>[0]

const times = { count: 1, p50Ms: 1, p99Ms: 2, maxMs: 3 }
const feature = { name: 'search', isOn: true, seams: [], faults: 0 }
const well: Figures = {
  version: '1',
  pid: 1,
  startedAt: 0,
  uptimeMs: 1,
  phase: 'serving',
  notReady: [],
  timestamp: 1,
  memory: { rssBytes: 1, heapUsedBytes: 1, heapTotalBytes: 1 },
  eventLoopDelay: times,
  store: {
    unrecordedEnds: 0,
    fileBytes: 1,
    walBytes: 1,
    indexBytes: 0,
    attachmentBytes: manyKept - 1,
    commits: times,
    disk: { freeBytes: 2 ** 40, totalBytes: 2 ** 41 },
  },
  pool: { activeProcesses: 0, maxProcesses: 10 },
  healthChecks: [],
  breakers: [],
  streamReaders: 0,
  features: [feature],
  isolation: [{ team: 'a', level: 'home', holds: true, detail: 'hidden' }],
}
const broken = { from: 'a', to: 'b', thread: 'main', state: 'open', cause: 'no login', retryAt: 0 } as const

test('where all is well nothing is said', () => expect(problemsOf(well)).toEqual([]))

test.each<[string, Partial<Figures>, string, RegExp]>([
  ['a damaged store', { store: { ...well.store, damage: 'torn' } }, 'error', /damaged.*torn/],
  ['ends that are not taken', { store: { ...well.store, unrecordedEnds: 2 } }, 'error', /how 2 messages ended/],
  ['a full disk', { store: { ...well.store, disk: { freeBytes: 1, totalBytes: 2 } } }, 'error', /nearly full/],
  ['a slow disk', { store: { ...well.store, commits: { ...times, p99Ms: 150 } } }, 'warning', /disk is slow/],
  ['a log that grows', { store: { ...well.store, walBytes: 2 ** 30 } }, 'warning', /write-ahead log grows/],
  ['many attached files', { store: { ...well.store, attachmentBytes: manyKept } }, 'warning', /files take 3\.2 GB/],
  ['a late daemon', { eventLoopDelay: { ...times, p99Ms: 500 } }, 'warning', /is slow/],
  [
    'a configuration not in force',
    { configProblem: 'line 3' },
    'error',
    /not using the last saved config\.yaml: line 3/,
  ],
  ['another Claude Code', { claudeProblem: 'is not the one' }, 'warning', /is not the one/],
  ['a feature that failed', { features: [{ ...feature, faults: 2 }] }, 'warning', /"search" failed 2 times/],
  ['a broken pair', { breakers: [broken] }, 'error', /a→b keeps failing.*no login/],
  [
    'a promise that does not hold',
    { isolation: [{ team: 'a', level: 'sandbox', holds: false, detail: 'x' }] },
    'error',
    /sandbox/,
  ],
])('%s is said with what to do', (_name, worse, severity, what) => {
  const [problem, ...others] = problemsOf({ ...well, ...worse })
  expect(problem).toMatchObject({ severity, what: expect.stringMatching(what), remedy: expect.stringMatching(/\.$/) })
  expect(others).toEqual([])
})

test('a machine, a channel and an account that do not work are problems; the configuration is one already', () => {
  const said = { teams: [], remedy: 'Do this.' }
  const broken = [
    { ...said, kind: 'account', what: 'over' },
    { ...said, kind: 'machine', what: 'away', since: 7 },
    { ...said, kind: 'configuration', what: 'line 3' },
  ] as const
  expect(problemsOf(well, broken as never)).toEqual([
    { severity: 'error', what: 'away', remedy: 'Do this.', since: 7 },
    { severity: 'warning', what: 'over', remedy: 'Do this.' },
  ])
})

test('the worst comes first', () => {
  const figures = { ...well, eventLoopDelay: { ...times, p99Ms: 500 }, configProblem: 'line 3', breakers: [broken] }
  expect(problemsOf(figures).map(({ severity }) => severity)).toEqual(['error', 'error', 'warning'])
})
