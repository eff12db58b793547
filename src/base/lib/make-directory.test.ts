import { lstatSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { makeDirectory } from './make-directory.ts'

test('a directory is made with those above it, and one that is there stays', () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'a/b/c')
  makeDirectory(path)
  makeDirectory(path, 0o755)
  expect([path, join(path, '..')].map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o700])
  symlinkSync(path, join(scratch.path, 'link'))
  makeDirectory(join(scratch.path, 'link'))
  expect(lstatSync(join(scratch.path, 'link')).isSymbolicLink()).toBe(true)
})

test('where none can be made it says so, and returns', () => {
  using scratch = scratchDirectory()
  writeFileSync(join(scratch.path, 'file'), '')
  expect(() => makeDirectory(join(scratch.path, 'file/x'))).toThrow(/ENOTDIR|EEXIST/)
  expect(() => makeDirectory(join(scratch.path, 'file'))).toThrow('EEXIST')
  expect(() => makeDirectory('/proc/iris-x/y')).toThrow('/proc/iris-x')
})
