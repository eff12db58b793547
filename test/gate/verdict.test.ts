import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rerun } from './diagnose.ts'
import { readKnown, readUnsteady } from './known.ts'
import { root } from './plan.ts'
import type { Failure, FileRecord, RunRecord } from './record.ts'
import { strictKindOf } from './strict-kinds.ts'
import { isTitled, type Known, type Rerun, unsteadyLines, whyRed } from './verdict.ts'

const ranOut = { name: 'WaitRanOut', message: 'a badge: not within 60000 ms' }
const failureOf = (...errors: Failure['errors']): Failure => ({ test: 'shows a badge', errors })
const file = { project: 'standard', file: 'test/spec/badge.test.ts' }
const failedWith = (...failures: readonly Failure[]): FileRecord => ({
  ...file,
  passed: 3,
  failures,
  wallMs: 1000,
  processor: 1,
  parts: {},
  before: [],
})
const known: Known = { unsteady: [], showsPromise: () => false, strictKind: () => undefined }
const passedTwice: Rerun = { file, inCompany: true, alone: true }
const listed = { file: file.file, test: 'shows a badge', date: '2026-11-27', commit: 'abc1234' }
const unsteady = failedWith(failureOf(ranOut))

test('a run without a failure is green', () => {
  expect(whyRed([], [], known)).toEqual([])
})

test('one file with waits that ran out is forgiven, and once more', () => {
  expect(whyRed([failedWith(failureOf(ranOut), failureOf(ranOut))], [passedTwice], known)).toEqual([])
  expect(whyRed([unsteady], [passedTwice], { ...known, unsteady: [listed] })).toEqual([])
  expect(unsteadyLines([unsteady], '2026-11-27', 'abc1234')).toEqual([listed])
})

test.each<[string, readonly FileRecord[], readonly Rerun[], Partial<Known>, string]>([
  [
    'another error',
    [failedWith(failureOf({ name: 'AssertionError', message: '' }))],
    [passedTwice],
    {},
    'AssertionError',
  ],
  [
    'another error beside it',
    [failedWith(failureOf(ranOut, { name: 'Error', message: '' }))],
    [passedTwice],
    {},
    'Error',
  ],
  [
    'another failure',
    [failedWith(failureOf(ranOut), failureOf({ name: 'X', message: '' }))],
    [passedTwice],
    {},
    'with X',
  ],
  ['no error', [failedWith(failureOf())], [passedTwice], {}, 'without an error'],
  [
    'a hook of the file',
    [failedWith({ test: undefined, errors: [ranOut] })],
    [passedTwice],
    {},
    'outside of its tests',
  ],
  ['a promise', [unsteady], [passedTwice], { showsPromise: () => true }, 'shows a promise'],
  ['a crash test', [unsteady], [passedTwice], { strictKind: () => 'crash' }, 'is a crash test'],
  ['a file that is listed twice', [unsteady], [passedTwice], { unsteady: [listed, listed] }, 'unsteady.json 2 times'],
  [
    'one that fails in company',
    [unsteady],
    [{ ...passedTwice, inCompany: false }],
    {},
    'again with the files before it',
  ],
  ['one that fails alone', [unsteady], [{ ...passedTwice, alone: false }], {}, 'failed again alone'],
  [
    'one that had no time to run alone',
    [unsteady],
    [{ ...passedTwice, alone: undefined }],
    {},
    'no time to run again alone',
  ],
  ['one that did not run again', [unsteady], [], {}, 'no time to run again with the files before it'],
  [
    'a second file',
    [unsteady, { ...unsteady, file: 'b' }],
    [passedTwice, { ...passedTwice, file: { ...file, file: 'b' } }],
    {},
    '2 files failed',
  ],
])('the run is red for %s', (_what, failed, reruns, more, why) => {
  expect(whyRed(failed, reruns, { ...known, ...more }).join('\n')).toContain(why)
})

test('a file that failed runs again after the files before it, then alone; a run that stopped early says nothing', async () => {
  const before = [{ project: 'standard', file: 'a' }]
  const runs: string[][] = []
  const ends: Partial<RunRecord>[] = [{}, { errors: ['an unhandled rejection'] }, { isWhole: false }, { files: [] }]
  const play = async (files: readonly { readonly file: string }[]): Promise<RunRecord> => {
    runs.push(files.map((each) => each.file))
    const whole = { files: [failedWith()], errors: [], starts: {}, samplerSeconds: 0, isWhole: true }
    return { ...whole, ...ends[runs.length - 1] }
  }
  const failed = { ...unsteady, before }
  const reruns = await rerun([failed, failed], play, new AbortController().signal)
  expect(runs).toEqual([['a', file.file], [file.file], ['a', file.file], [file.file]])
  expect(reruns).toEqual([
    { file, inCompany: true, alone: false },
    { file, inCompany: undefined, alone: undefined },
  ])
})

test('no rerun begins once their time is over', async () => {
  const play = (_files: unknown, signal: AbortSignal): Promise<RunRecord> =>
    new Promise((resolve) => {
      const stopped = { files: [], errors: [], starts: {}, samplerSeconds: 0, isWhole: false }
      signal.addEventListener('abort', () => resolve(stopped))
    })
  expect(await rerun([unsteady], play, AbortSignal.timeout(1))).toEqual([
    { file, inCompany: undefined, alone: undefined },
  ])
})

test.each([
  ['test/property/months.test.ts', '', 'property'],
  ['src/base/lib/markdown.test.ts', "import fc from 'fast-check'", 'property'],
  ['test/cuts/cuts.test.ts', '', 'cut'],
  ['test/spec/hosts-cuts.test.ts', '', 'cut'],
  ['test/pins/turn.test.ts', '', 'pin'],
  ['test/spec/telegram-crash.test.ts', '', 'crash'],
  ['test/spec/asks.test.ts', "daemon.kill('SIGKILL')", 'crash'],
  ['src/kernel/recover/fence.test.ts', '', 'fence'],
  ['test/spec/dashboard-phone.test.ts', 'a page of the dashboard', undefined],
])('%s with "%s" is of kind %s', (path, text, kind) => {
  expect(strictKindOf(path, text)).toBe(kind)
})

test('a printed title is known by the title of its table', () => {
  expect(isTitled('in %s schedules (of $months.long)', 'in 40 schedules (of two)')).toBe(true)
  expect(isTitled('in %s schedules', 'in 40 schedules and more')).toBe(false)
  expect(isTitled('is it done?', 'is it don')).toBe(false)
})

test('the promises of the pages are known to the gate', () => {
  const { showsPromise, strictKind } = readKnown()
  const months = 'in schedules of months no message is lost, doubled or crossed, and no session has two writers'
  expect(showsPromise('test/property/months.test.ts', months)).toBe(true)
  expect(showsPromise('test/property/months.test.ts', 'another title')).toBe(false)
  expect(strictKind('test/property/months.test.ts')).toBe('property')
})

test('test/tiers/unsteady.json names tests, days and commits', () => {
  for (const { file: path, ...line } of readUnsteady()) {
    expect(existsSync(join(root, path))).toBe(true)
    expect(line).toEqual({
      test: expect.stringMatching(/./),
      date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      commit: expect.stringMatching(/^[0-9a-f]{7,40}$/),
    })
  }
})
