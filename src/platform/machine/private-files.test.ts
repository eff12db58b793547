import { expect, onTestFinished, test } from 'vitest'
import { makeFilesPrivate } from './private-files.ts'

test('the umask of the process comes back with the last daemon, in whatever order they end', () => {
  const before = process.umask(0o022)
  onTestFinished(() => void process.umask(before))
  const first = makeFilesPrivate()
  const second = makeFilesPrivate()
  expect([first.umask, second.umask, process.umask()]).toEqual([0o022, 0o022, 0o077])
  first.restore()
  first.restore()
  expect(process.umask()).toBe(0o077)
  second.restore()
  expect(process.umask()).toBe(0o022)
})
