import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { AnswerFiles } from './answer-files.ts'
import { makeTables } from './database.ts'
import type { Store } from './store.ts'

test('what changed since the answers of a conversation is found by the changed files, not by all its answers', () => {
  const database = new DatabaseSync(':memory:')
  makeTables(database)
  const plan: string[] = []
  const prepare = (sql: string) => ({
    all: (...values: string[]) => {
      plan.push(
        ...database
          .prepare(`EXPLAIN QUERY PLAN ${sql}`)
          .all(...values)
          .map(({ detail }) => String(detail)),
      )
      return []
    },
  })
  new AnswerFiles({ prepare } as unknown as Store).unreported({ from: 'a', to: 'b', thread: 'main' }, 5)
  expect(plan[0]).toContain('answer_files_changed')
})
