import { expect, test } from 'vitest'
import { ConfigError } from './problem.ts'

test('an error of the configuration names every mistake, and of a long key the beginning and the end', () => {
  const mistake = { line: 1, column: 1, value: null, problem: 'is wrong', allowed: null, remedy: 'Correct it.' }
  const keys = [...Array.from({ length: 500 }, (_, index) => `teams.team-${index}.model`), 'k'.repeat(100_000)]
  const { message } = new ConfigError(keys.map((key) => ({ ...mistake, file: '/config.yaml', key })))
  for (const key of keys.slice(0, -1)) expect(message).toContain(key)
  expect(message).toContain('kkk … kkk')
})
