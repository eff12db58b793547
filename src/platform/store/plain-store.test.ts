import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { lockInstance } from './instance-lock.ts'
import { refuseOtherThanFile } from './plain-store.ts'

const refused = expect.objectContaining({ code: 'store_unavailable', message: expect.stringMatching(/regular file/) })

test('what is no plain file is no database, and nobody waits for a named pipe', () => {
  using scratch = scratchDirectory()
  const at = (name: string): string => join(scratch.path, name)
  execFileSync('mkfifo', [at('pipe')])
  mkdirSync(at('directory'))
  writeFileSync(at('file'), '')
  for (const name of ['pipe', 'directory']) {
    expect(() => refuseOtherThanFile(at(name))).toThrow(refused)
    expect(() => lockInstance(at(name), () => '')).toThrow(refused)
  }
  writeFileSync(at('store'), '')
  execFileSync('mkfifo', [at('store-wal')])
  expect(() => refuseOtherThanFile(at('store'))).toThrow(refused)
  expect(() => lockInstance(at('store'), () => '')).toThrow(refused)
  for (const name of ['file', 'nothing']) refuseOtherThanFile(at(name))
})
