import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { picker } from '../property/random.ts'
import { root } from './plan.ts'
import type { FileRecord } from './record.ts'
import { afterRun, missing, nextBatch, reset, type SoakTable, soakLines, tableFor } from './soak-table.ts'
import { thirtyTimes } from './thirty-times.ts'

const files = ['a', 'b', 'c'].map((file) => ({ project: 'fast', file }))
const needed = { times: 3, busy: 1 }
const fresh = tableFor(files, () => 'hash', {})

function record(file: string, ...failures: FileRecord['failures']): FileRecord {
  const before = [{ project: 'fast', file: 'c' }]
  return { project: 'fast', file, passed: 1, failures, wallMs: 1, processor: 1, parts: {}, before }
}

const play = (table: SoakTable, records: readonly FileRecord[], isBusy = false): SoakTable =>
  afterRun(table, records, { seed: 7, isBusy, date: '2026-11-27' })

const lost = { test: 'keeps it', errors: [{ name: 'Error', message: 'lost\nat …' }] }

test('passes count apart, and a failure sets back its file alone and is kept', () => {
  const passed = play(play(fresh, [record('a'), record('b')]), [record('a'), record('b')], true)
  expect(passed['fast a']).toMatchObject({ quiet: 1, busy: 1 })
  const failed = play(passed, [record('a', lost)], true)
  expect(failed['fast a']).toMatchObject({ quiet: 0, busy: 0 })
  expect(failed['fast b']).toMatchObject({ quiet: 1, busy: 1 })
  expect(play(failed, [record('a')])['fast a']?.failures).toEqual([
    { seed: 7, isBusy: true, date: '2026-11-27', what: ['keeps it: Error: lost'], before: ['c'] },
  ])
})

test('a file that changed starts again, and keeps its failures; one that is gone goes', () => {
  const before = play(play(play(fresh, [record('a', lost)]), [record('a'), record('b')]), [record('c')])
  const after = tableFor(files.slice(0, 2), (file) => (file === 'a' ? 'other' : 'hash'), before)
  expect(after['fast a']).toMatchObject({ hash: 'other', quiet: 0, failures: [{ seed: 7 }] })
  expect(after['fast b']).toMatchObject({ quiet: 1 })
  expect(Object.keys(after)).toEqual(['fast a', 'fast b'])
})

test('a file that is reset starts again', () => {
  const table = reset(play(fresh, [record('a'), record('b')]), ['a'])
  expect([table['fast a']?.quiet, table['fast b']?.quiet]).toEqual([0, 1])
})

test.each([
  [0, 0, { quiet: 2, busy: 1 }],
  [3, 0, { quiet: 0, busy: 1 }],
  [2, 1, { quiet: 0, busy: 0 }],
  [0, 3, { quiet: 0, busy: 0 }],
])('after %i quiet and %i busy passes it lacks %o', (quiet, busy, lacking) => {
  expect(missing({ hash: '', quiet, busy, failures: [] }, needed)).toEqual(lacking)
})

test('batches bring every file to its passes, in company, the same for the same seed', () => {
  let table = fresh
  const companies: string[] = []
  for (let seed = 1; seed < 100; seed += 1) {
    const batch = nextBatch(files, table, () => needed, picker(seed))
    expect(nextBatch(files, table, () => needed, picker(seed))).toEqual(batch)
    if (batch === undefined) break
    companies.push(batch.files.map(({ file }) => file).join(''))
    table = play(
      table,
      batch.files.map(({ file }) => record(file)),
      batch.isBusy,
    )
  }
  expect(nextBatch(files, table, () => needed, picker(1))).toBeUndefined()
  expect(new Set(companies).size).toBeGreaterThan(1)
  expect(companies.every((company) => company.length === 3)).toBe(true)
  expect(soakLines(table, () => needed)).toEqual(['3 files done, 0 short', '0 failures'])
})

test('the lines name what is short, and each failure with its seed', () => {
  const lines = soakLines(play(play(fresh, [record('b', lost)]), [record('a')], true), () => needed)
  expect(lines).toEqual([
    '0 files done, 3 short',
    '  1 of 3 passes in a row, 1 of 1 beside busy loops: fast a',
    '  0 of 3 passes in a row, 0 of 1 beside busy loops: fast b',
    '  0 of 3 passes in a row, 0 of 1 beside busy loops: fast c',
    '1 failures',
    '  2026-11-27 fast b, seed 7, after c',
    '    keeps it: Error: lost',
  ])
})

test('files to run thirty times exist', () => {
  expect(thirtyTimes.filter((file) => !existsSync(join(root, file)))).toEqual([])
})
