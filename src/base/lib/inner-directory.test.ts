import { mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { InnerDirectory } from './inner-directory.ts'

test('a root that leads through a link by now is not gone into', () => {
  using scratch = scratchDirectory()
  const root = join(scratch.path, 'projects', 'shop')
  const elsewhere = join(scratch.path, 'hidden')
  for (const directory of [join(root, 'mcp'), join(elsewhere, 'shop', 'mcp')]) mkdirSync(directory, { recursive: true })
  InnerDirectory.open(root, ['mcp'], { make: false })[Symbol.dispose]()
  renameSync(join(scratch.path, 'projects'), join(scratch.path, 'away'))
  symlinkSync(elsewhere, join(scratch.path, 'projects'))
  expect(() => InnerDirectory.open(root, ['mcp'], { make: false })).toThrow('projects is a link, or not a directory')
  expect(() => InnerDirectory.open(root, ['new'], { make: true })).toThrow('projects is a link, or not a directory')
})
