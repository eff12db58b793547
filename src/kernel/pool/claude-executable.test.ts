import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { claudeExecutable } from './claude-executable.ts'

test('a claude among the tools of a project is not used, and the error says why', async () => {
  using scratch = scratchDirectory()
  const tools = join(scratch.path, 'node_modules/.bin')
  mkdirSync(tools, { recursive: true })
  writeFileSync(join(tools, 'claude'), '#!/bin/sh\n', { mode: 0o755 })
  const found = claudeExecutable(undefined, `${tools}:${scratch.path}`)
  await expect(found).rejects.toMatchObject({
    code: 'claude_not_found',
    message: `The command "claude" was not found in PATH. Iris does not use ${tools}/claude: it belongs to a project, as one of its tools.`,
  })
})
