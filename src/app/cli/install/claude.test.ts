import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../../test/support/scratch.ts'
import { runClaude } from './claude.ts'

test('a Claude Code that reads its input gets none, and one that ignores the request to end is ended', async () => {
  using scratch = scratchDirectory()
  const claude = (text: string) => {
    writeFileSync(join(scratch.path, 'claude'), `#!/bin/sh\n${text}\n`)
    chmodSync(join(scratch.path, 'claude'), 0o755)
    return { PATH: `${scratch.path}:/usr/bin:/bin`, HOME: scratch.path, IRIS_HOME: join(scratch.path, 'iris') }
  }
  await runClaude(claude('read line; exit 0'), ['mcp', 'add', 'iris'])
  const hangs = runClaude(claude("trap '' TERM; while :; do :; done"), ['mcp', 'add', 'iris', 'x'], 50)
  await expect(hangs).rejects.toMatchObject({
    code: 'claude_failed',
    message: `${join(scratch.path, 'claude')} mcp add iris did not end within 0.05 s.`,
  })
})
