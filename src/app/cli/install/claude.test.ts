import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../../test/support/scratch.ts'
import { claudeProgram, runClaude } from './claude.ts'

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

test('a claude among the tools of a project is not used, and the error says why', async () => {
  using scratch = scratchDirectory()
  const tools = join(scratch.path, 'node_modules/.bin')
  mkdirSync(tools, { recursive: true })
  writeFileSync(join(tools, 'claude'), '#!/bin/sh\n', { mode: 0o755 })
  const env = { PATH: `${tools}:${scratch.path}`, HOME: scratch.path }
  const why = `Iris does not use ${tools}/claude: it belongs to a project, as one of its tools.`
  const refused = { code: 'claude_not_found', message: expect.stringContaining(why) }
  await expect(claudeProgram(env)).rejects.toMatchObject(refused)
  await expect(claudeProgram({ ...env, PATH: scratch.path })).rejects.not.toMatchObject(refused)
})
