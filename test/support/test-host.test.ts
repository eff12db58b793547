import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { testHost } from './test-host.ts'

test('a run that names no process yet ends nothing when its host goes, least of all this process group', () => {
  using sent = vi.spyOn(process, 'kill')
  {
    using host = testHost()
    const run = join(host.home, '.cache/iris/runs/run-1')
    mkdirSync(run, { recursive: true })
    writeFileSync(join(run, 'attached'), ' '.repeat(60))
    writeFileSync(join(run, 'pid'), '0 1\n')
  }
  expect(sent).not.toHaveBeenCalled()
})

test('a test cannot send a signal to a group of processes', () => {
  expect(() => process.kill(0, 'SIGKILL')).toThrow('no process')
  expect(() => process.kill(Number.NaN)).toThrow('no process')
})
