import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { plainFile } from './plain-file.ts'

test('a small file is read, and what could keep a reader for ever is refused', () => {
  const scratch = scratchDirectory()
  onTestFinished(() => scratch[Symbol.dispose]())
  const at = (name: string): string => join(scratch.path, name)
  writeFileSync(at('text'), 'text')
  symlinkSync(at('text'), at('link'))
  execFileSync('mkfifo', [at('pipe')])
  symlinkSync('/dev/zero', at('endless'))
  writeFileSync(at('huge'), '')
  truncateSync(at('huge'), 2 ** 40)
  mkdirSync(at('directory'))
  expect([plainFile(at('text')), plainFile(at('link'))]).toEqual(['text', 'text'])
  const codes = ['pipe', 'endless', 'huge', 'directory', 'nothing'].map((name) => {
    try {
      return plainFile(at(name))
    } catch (error) {
      return (error as NodeJS.ErrnoException).code
    }
  })
  expect(() => plainFile(at('directory'))).toThrow(expect.objectContaining({ path: at('directory') }))
  expect(codes).toEqual(['ENOTSUP', 'ENOTSUP', 'ENOTSUP', 'EISDIR', 'ENOENT'])
})
