import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { replaceFile } from './replace-file.ts'

test('a full disk names the file that could not be written, which keeps its text', () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'token')
  replaceFile(path, 'first')
  symlinkSync('/dev/full', `${path}.new`)
  expect(() => replaceFile(path, 'second')).toThrow(expect.objectContaining({ code: 'ENOSPC', path }))
  expect(readFileSync(path, 'utf8')).toBe('first')
})
