import {
  existsSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { replaceText } from './replace-text.ts'

test('of two processes that replace a text at once, the second one sees what the first one wrote', async () => {
  using scratch = scratchDirectory()
  const file = join(scratch.path, 'config.yaml')
  writeFileSync(file, 'before')
  // The lock as the other process holds it between its check and its rename.
  mkdirSync(`${file}.iris-lock`)
  const late = replaceText(file, 'before', 'mine')
  await expect.poll(() => readdirSync(scratch.path).length).toBe(3)
  writeFileSync(file, 'theirs')
  rmdirSync(`${file}.iris-lock`)
  expect(await late).toBe(false)
  expect(readFileSync(file, 'utf8')).toBe('theirs')
})

test('the lock of a process that was killed holds nobody up', async () => {
  using scratch = scratchDirectory()
  const file = join(scratch.path, 'config.yaml')
  writeFileSync(file, 'before')
  mkdirSync(`${file}.iris-lock`)
  utimesSync(`${file}.iris-lock`, 1, 1)
  expect(await replaceText(file, 'before', 'mine')).toBe(true)
  expect(readFileSync(file, 'utf8')).toBe('mine')
  expect(existsSync(`${file}.iris-lock`)).toBe(false)
  symlinkSync('nowhere', `${file}.iris-lock`)
  lutimesSync(`${file}.iris-lock`, 1, 1)
  expect(await replaceText(file, 'mine', 'again')).toBe(true)
})
