import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchDirectory } from '../../../../test/support/scratch.ts'
import { areToolsAllowed } from './allow-tools.ts'
import { claudeState } from './claude.ts'

test('the installer waits for no file of Claude Code that is a pipe', () => {
  const scratch = scratchDirectory()
  onTestFinished(() => scratch[Symbol.dispose]())
  const [state, settings] = [join(scratch.path, '.claude.json'), join(scratch.path, '.claude/settings.json')]
  mkdirSync(join(scratch.path, '.claude'))
  execFileSync('mkfifo', [state, settings])
  expect(() => claudeState(state)).toThrow(/ENOTSUP: .*claude\.json is not a small plain file/)
  expect(() => areToolsAllowed({ HOME: scratch.path })).toThrow(/ENOTSUP: .*settings\.json is not a small plain file/)
})
