import { expect, test } from 'vitest'
import { KeptAnswerRows } from '../../src/features/insight/rows/kept-answers.ts'
import { TurnTraces } from '../../src/features/traces/rows/turn-traces.ts'
import { AnswerFiles } from '../../src/platform/store/answer-files.ts'
import { newStore } from '../support/new-store.ts'

const dayMs = 86_400_000
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

test.each(['kept_answers', 'turn_traces'])('the oldest rows of %s are deleted, by age and by number', (table) => {
  const store = newStore()
  store.exec('PRAGMA foreign_keys = OFF')
  const [kept, traces] = [new KeptAnswerRows(store), new TurnTraces(store)]
  const add = (turn: string, notedAt: number): void =>
    table === 'turn_traces'
      ? traces.add(turn, traceparent, notedAt)
      : kept.add({ turn, key: 'key', head: null, files: [], notedAt })
  const rows = () => store.prepare(`SELECT count(*) AS rows, min(noted_at) AS oldest FROM ${table}`).get()
  const maxRows = table === 'turn_traces' ? 100_000 : 10_000
  const oldestMs = (table === 'turn_traces' ? 90 : 60) * dayMs

  for (let n = 0; n < 150; n++) add(`old-${n}`, n)
  for (let n = 0; n < 100; n++) add(`new-${n}`, oldestMs + 100)
  expect(rows()).toEqual({ rows: 150, oldest: 100 })

  const insert =
    table === 'turn_traces'
      ? `INSERT INTO turn_traces (turn, traceparent, noted_at)`
      : `INSERT INTO kept_answers (turn, key, files, noted_at)`
  const values = table === 'turn_traces' ? `'t-' || n, '', n` : `'t-' || n, 'key', '[]', n`
  store.exec(`WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${maxRows + 50})
    ${insert} SELECT ${values} FROM counted`)
  for (let n = 0; n < 200; n++) add(`later-${n}`, oldestMs + 200)
  const found = rows() as { rows: number }
  expect(found.rows).toBeLessThanOrEqual(maxRows + 100)
  expect(found.rows).toBeGreaterThanOrEqual(maxRows)
})

test('with an answer that is older than 90 days, its files are deleted; those of newer answers stay', () => {
  const store = newStore()
  store.exec('PRAGMA foreign_keys = OFF')
  const rows = new AnswerFiles(store)
  const files = ['a.ts', 'b.ts'].map((name) => ({ name, hash: 'hash' }))
  for (let n = 0; n < 150; n++) rows.note(`old-${n}`, null, n, files)
  for (let n = 0; n < 100; n++) rows.note(`new-${n}`, null, 90 * dayMs + 100, files)
  for (const [table, each] of [
    ['answer_states', 1],
    ['answer_files', 2],
  ] as const) {
    const [olds, news] = ['old', 'new'].map((kind) =>
      store.prepare(`SELECT count(*) AS rows FROM ${table} WHERE turn LIKE '${kind}-%'`).get(),
    )
    expect({ table, olds, news }).toEqual({ table, olds: { rows: 50 * each }, news: { rows: 100 * each } })
  }
})
