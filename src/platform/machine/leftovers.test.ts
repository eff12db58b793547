import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { removeLeftovers } from './leftovers.ts'

test('what a killed daemon left behind goes, and nothing else', () => {
  using scratch = scratchDirectory()
  const now = 10_000_000
  for (const [name, at] of [
    ['iris-isolation-old', 0],
    ['iris-isolation-new', now - 1000],
    ['another-old', 0],
  ] as const) {
    const path = join(scratch.path, name)
    mkdirSync(path)
    writeFileSync(join(path, 'file'), '')
    utimesSync(path, at / 1000, at / 1000)
  }
  removeLeftovers(scratch.path, 'iris-isolation-', { now, ageMs: 3_600_000 })
  expect(readdirSync(scratch.path).toSorted()).toEqual(['another-old', 'iris-isolation-new'])
  removeLeftovers(join(scratch.path, 'gone'), 'iris-', { now, ageMs: 0 })
})
