import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { missingWithoutProc } from './proc.ts'

test('a system without /proc lacks what is named, one with it nothing', () => {
  using scratch = scratchDirectory()
  expect(missingWithoutProc(join(scratch.path, 'nowhere'))).toHaveLength(6)
  // A directory with that name, but with nothing mounted there.
  expect(missingWithoutProc(scratch.path)).toHaveLength(6)
  mkdirSync(join(scratch.path, 'self'))
  writeFileSync(join(scratch.path, 'self/stat'), '')
  expect(missingWithoutProc(scratch.path)).toEqual([])
  expect(missingWithoutProc()).toEqual([])
})
