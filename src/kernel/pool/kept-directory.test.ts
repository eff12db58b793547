import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { keepDirectory } from './kept-directory.ts'

test('a directory is made and kept; what cannot be reached, or is none of this user, is left alone', () => {
  using scratch = scratchDirectory()
  const at = (name: string): string => join(scratch.path, name)
  expect([keepDirectory(at('made')), keepDirectory(at('made'))]).toEqual([true, true])
  expect(existsSync(at('made/.kept-by-iris'))).toBe(true)
  writeFileSync(at('file'), '')
  symlinkSync(at('loop'), at('loop'))
  mkdirSync(at('real'))
  symlinkSync(at('real'), at('link'))
  const others = ['file', 'file/cc-socks', 'loop/cc-socks', 'missing/cc-socks', 'link', `${'x'.repeat(300)}/cc-socks`]
  expect(others.map((name) => keepDirectory(at(name)))).toEqual(others.map(() => false))
})
