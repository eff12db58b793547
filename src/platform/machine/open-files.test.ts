import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { fewOpenFilesRemedy, mostOpenFiles, openFilesFor, refuseFewOpenFiles } from './open-files.ts'

test.each([
  ['Max open files            64                   64                   files', 64],
  ['Max open files            unlimited            unlimited            files', Number.POSITIVE_INFINITY],
  ['', Number.POSITIVE_INFINITY],
])('%j allows %s', (line, most) => {
  using scratch = scratchDirectory()
  const file = join(scratch.path, 'limits')
  writeFileSync(file, `Limit                     Soft Limit           Hard Limit           Units\n${line}\n`)
  expect(mostOpenFiles(file)).toBe(most)
  expect(mostOpenFiles(join(scratch.path, 'none'))).toBe(Number.POSITIVE_INFINITY)
})

test('too few open files are refused with what to do, and more processes take more', () => {
  expect(() => refuseFewOpenFiles(127)).toThrow('Iris may open only 127 files at once, but needs at least 128.')
  refuseFewOpenFiles(128)
  expect([fewOpenFilesRemedy(127), fewOpenFilesRemedy(128)]).toEqual([expect.stringContaining('Raise'), undefined])
  expect([openFilesFor(1), openFilesFor(10), openFilesFor(100)]).toEqual([128, 144, 864])
})
