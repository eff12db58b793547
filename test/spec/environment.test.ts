import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script, ToolUse } from '../../src/app/demo/script.ts'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { bothVersions, claudeBinary, claudeVersions, ofTestedVersions } from '../support/real-claude.ts'
import { spoken } from '../support/world.ts'

const fromTeam = 'frontend'
const tools: Record<string, ToolUse> = {
  environment: { name: 'Bash', input: { command: 'env -0 | tr "\\0" "\\1"', description: 'tell the environment' } },
  touch: { name: 'Bash', input: { command: 'touch made.txt && echo made', description: 'make a file' } },
  date: { name: 'mcp__iris__get_date', input: {} },
}

/** Uses the tool that the message names and answers with its result, marked when it is an error. */
const uses: Script = ({ conversation: { lastUserText, toolResults } }) => {
  const result = toolResults[0]
  if (result === undefined) return { toolUses: [tools[spoken(lastUserText)]!] }
  return { text: `${result.isError ? 'refused: ' : ''}${result.text}` }
}

const [newest, older] = bothVersions
const yes = { grantPermission: 'yes', dangerous: true, env: { FROM_TEAM: 'team', FROM_BOTH: 'team' } }
const teams = {
  frontend: {},
  trusted: yes,
  trustedOlder: { ...yes, claudePath: claudeBinary(older) },
  closed: { grantPermission: 'no' },
  closedOlder: { grantPermission: 'no', claudePath: claudeBinary(older) },
}

/** Values that only the daemon knows, such as secrets and the console's variables. None of them may be passed on. */
const kept = {
  MY_SECRET: 'secret',
  GITHUB_TOKEN: 'secret',
  CLAUDE_CODE_MESSAGING_TOKEN: 'secret',
  CLAUDECODE: 'console',
  CLAUDE_PROJECT_DIR: 'console',
  CLAUDE_CODE_SESSION_ID: 'console',
  CLAUDE_CODE_ENTRYPOINT: 'console',
  CLAUDE_CODE_MESSAGING_SOCKET: 'console',
  CLAUDE_EFFORT: 'console',
  NODE_OPTIONS: 'console',
  LD_PRELOAD: 'console',
  IRIS_LOG: 'error',
}
const passed = { USER: 'somebody', LC_ALL: 'C.UTF-8', TZ: 'Asia/Tokyo', ANTHROPIC_CUSTOM_HEADERS: 'x-test: 1' }

/** Made by Claude Code or by the shell of its Bash tool: a zsh, where there is one, sets LOGNAME. */
const ownNames = new Set([
  'AI_AGENT',
  'CLAUDECODE',
  'CLAUDE_EFFORT',
  'CLAUDE_PID',
  'CLAUDE_CODE_CHILD_NOTES_DIR',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_EXECPATH',
  'CLAUDE_CODE_MESSAGING_SOCKET',
  'CLAUDE_CODE_MESSAGING_TOKEN',
  'CLAUDE_CODE_SESSION_ATTENDED',
  'CLAUDE_CODE_SESSION_ID',
  'COREPACK_ENABLE_AUTO_PIN',
  'GIT_EDITOR',
  'NoDefaultCurrentDirectoryInExePath',
  'LOGNAME',
  'PWD',
  'OLDPWD',
  'SHELL',
  'SHLVL',
  '_',
])

let iris: TestIris
beforeAll(async () => {
  const env = { FROM_SETTINGS: 'settings', FROM_BOTH: 'settings' }
  iris = await TestIris.start({ script: uses, teams, settings: { claudePath: claudeBinary(newest), env } })
  const { world } = iris
  await iris.restart({ env: { ...world.env, ...kept, ...passed, IRIS_HOME: world.home } })
})
afterAll(() => iris[Symbol.asyncDispose]())

const say = (team: string, message: string) => ask(iris, team, message, { fromTeam })
const made = (team: string) => existsSync(join(iris.world.directory(team), 'made.txt'))

const trusted = [
  ['trusted', newest],
  ['trustedOlder', older],
] as const
describe.each(trusted.filter(([, version]) => claudeVersions.includes(version)))(
  'in the team "%s", which grants everything, Claude Code %s',
  (team, version) => {
    test('knows what is allowed by name, what the configuration says, and nothing else of the daemon', async () => {
      const { response = '' } = await say(team, 'environment')
      const entries = response.split('\u0001').filter((entry) => entry.includes('='))
      const seen = Object.fromEntries(entries.map((entry) => entry.split(/=(.*)/s, 2) as [string, string]))
      const foreign = Object.entries(seen).filter(([name]) => !ownNames.has(name))
      expect(Object.fromEntries(foreign)).toEqual({
        ...iris.world.env,
        ...passed,
        FROM_SETTINGS: 'settings',
        FROM_TEAM: 'team',
        FROM_BOTH: 'team',
        // Older builds begin each message in the project anyway.
        ...(version === newest && { CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: '1' }),
        CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
        CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1',
        CLAUDE_CODE_SIMPLE: '0',
        CLAUDE_CODE_USE_POWERSHELL_TOOL: '0',
        NO_PROXY: '127.0.0.1,localhost,::1',
        no_proxy: '127.0.0.1,localhost,::1',
        ...(version === older && { CLAUDE_CODE_DISABLE_ATTACHMENTS: '1' }),
        IRIS_PROCESS: expect.stringMatching(/^[0-9a-f]{16}\.[0-9a-f-]{36}\.[0-9a-f-]{36}$/),
      })
      for (const value of ['secret', 'console', iris.world.home]) expect(Object.values(seen)).not.toContain(value)
    })

    test('uses the tools it likes, and Iris', async () => {
      expect(await say(team, 'touch')).toMatchObject({ status: 'completed', response: 'made' })
      expect(made(team)).toBe(true)
      expect(JSON.parse((await say(team, 'date')).response!)).toMatchObject({ iso: expect.any(String) })
    })
  },
)

test.each(ofTestedVersions(['closed', 'closedOlder']))(
  'in the team "%s" Claude Code may not use a tool that needs a permission, and is told why; it may use Iris',
  async (team) => {
    const why = 'its owner does not allow tools that need a permission (grantPermission: no), and no rule covers this'
    // The newer CLI says first that a hook spoke.
    const response = expect.stringMatching(/^refused: (?:PreToolUse:Bash hook error: )?Team /)
    const refused = await say(team, 'touch')
    expect(refused).toMatchObject({ status: 'completed', response })
    expect(refused.response).toContain(`Team "${team}" may not use Bash: ${why}.`)
    expect(made(team)).toBe(false)
    expect(JSON.parse((await say(team, 'date')).response!)).toMatchObject({ iso: expect.any(String) })
  },
)
