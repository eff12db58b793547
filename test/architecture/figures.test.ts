import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { historyColumns, historyLines } from '../../bench/history.ts'

const root = join(import.meta.dirname, '../..')
const maxCell = 12

test.each(['docs/performance.md', 'docs/scale.md', 'docs/reliability.md'])(
  'no cell of %s is longer than a reader takes in at a glance',
  (page) => {
    const lines = readFileSync(join(root, page), 'utf8').split('\n')
    // The lists of tests in reliability.md are for those who look one up.
    const rows = lines.filter((line) => line.startsWith('|') && !/^\| R\d+ /.test(line))
    const cells = rows.flatMap((line) => line.slice(1, -1).split('|'))
    expect(cells.length).toBeGreaterThan(50)
    expect(cells.filter((cell) => wordsIn(cell) > maxCell)).toEqual([])
  },
)

test('bench/history.csv has a cell for each column in each line', () => {
  const [header, ...lines] = parse(readFileSync(join(root, 'bench/history.csv'), 'utf8'))
  expect(header).toEqual(historyColumns)
  expect(lines.length).toBeGreaterThan(50)
  expect(lines.filter((cells) => cells.length !== historyColumns.length)).toEqual([])
})

test('what a run appends reads back as it was', () => {
  const row = { id: 'P1', what: 'a "warm" turn, through\na bridge', aim: '≤ 1.10', measured: '1.11', data: {} }
  const run = { at: '2026-11-29T00:00:00.000Z', commit: 'abc1234+', load: 1.26 }
  expect(parse(historyLines([row], run))).toEqual([
    [run.at, run.commit, '1.3', row.id, row.what, row.aim, row.measured],
  ])
})

function wordsIn(cell: string): number {
  const plain = cell.replaceAll(/`[^`]+`/g, 'code').replaceAll(/\]\([^)]*\)/g, '')
  return plain.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}

/** The cells of each line, as RFC 4180 has them. */
function parse(csv: string): string[][] {
  const lines: string[][] = [[]]
  for (const [, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g)) {
    lines.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain!)
    if (end === '\n') lines.push([])
  }
  return lines.slice(0, -1)
}
