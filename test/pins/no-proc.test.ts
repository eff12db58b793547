import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { hidden } from '../support/mounted.ts'
import { claudeBinary, claudeVersions, cliEnvironment } from '../support/real-claude.ts'
import { scratchDirectory } from '../support/scratch.ts'

test.each(claudeVersions)(
  'without /proc, Claude Code %s does not find its directory (2.1.330), or crashes (2.1.197)',
  (version) => {
    using scratch = scratchDirectory()
    const [command, ...args] = [...hidden('/proc'), claudeBinary(version), '--print', 'hello']
    const env = cliEnvironment({ version, home: scratch.path, modelUrl: 'http://127.0.0.1:9' })
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: scratch.path, env, encoding: 'utf8' })
    const [code, says] = { '2.1.330': [1, `Can't access working directory ${scratch.path}`], '2.1.197': [null, ''] }[
      version
    ]
    expect(status).toBe(code)
    expect(`${stdout}${stderr}`).toContain(says)
  },
)
