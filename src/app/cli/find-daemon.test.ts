import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { processStart } from '../../base/lib/process-start.ts'
import { knownDaemon } from './find-daemon.ts'

test('the file of a daemon that was killed stands for no other process that has its pid', () => {
  using home = scratchDirectory()
  const start = processStart(process.pid)
  const found = (file: object) => {
    const daemon = { port: 1, pid: process.pid, startedAt: 0, version: '1.0.0', ...file }
    writeFileSync(join(home.path, 'daemon.json'), JSON.stringify(daemon))
    return knownDaemon(home.path)?.pid
  }
  writeFileSync(join(home.path, 'token'), 'secret')
  expect(found({ processStart: start })).toBe(process.pid)
  expect(found({ processStart: start!.replace(/\d+$/, '1') })).toBeUndefined()
  expect(found({ processStart: start!.replace(/^./, '_') })).toBeUndefined()
  // As an older Iris writes it, or one without /proc.
  expect(found({})).toBe(process.pid)
})
