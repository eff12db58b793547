import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { type ScriptedModel, startScriptedModel } from '../../src/app/demo/scripted-model.ts'
import type { Finding } from '../../src/base/protocol/finding.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { managed } from '../support/mounted.ts'
import { obeying, orders } from '../support/obeying-model.ts'
import { irisCommand } from '../support/program.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'
import { firstIn, isBrief } from '../support/tier.ts'
import { createWorld, type World } from '../support/world.ts'

/** Obeys, and says at the end with which login it was asked. */
const script: Script = (request) => {
  const { headers } = request
  const said = obeying(request)
  return 'text' in said && said.text !== undefined
    ? { text: `${headers.authorization ?? headers['x-api-key']}\n${said.text}` }
    : said
}

describe.each(claudeVersions)('settings that an administrator manages, with Claude Code %s', (version) => {
  let world: World
  let gateway: ScriptedModel
  let daemon: DaemonProcess
  let directory: string
  beforeAll(async () => {
    const backend = { grantPermission: 'yes', dangerous: true, permissions: { deny: ['Bash(touch *)'] } }
    world = await createWorld({ script, teams: { backend }, settings: { claudePath: claudeBinary(version) } })
    gateway = await startScriptedModel({ script })
    const tokenFile = join(world.root, 'work.token')
    writeFileSync(tokenFile, 'sk-ant-oat01-account', { mode: 0o600 })
    world.writeConfig({ teams: { backend: { ...backend, account: { tokenFile } } } })
    directory = join(world.root, 'managed')
    mkdirSync(directory)
    daemon = await DaemonProcess.start(world, 'none', '', managed(directory))
  })
  afterAll(async () => {
    await daemon[Symbol.asyncDispose]()
    await gateway.close()
    await world[Symbol.asyncDispose]()
  })

  async function logins(): Promise<readonly string[]> {
    const [command, ...args] = [...managed(directory), ...irisCommand.split(' '), 'doctor', '--json']
    const env = { ...world.env, IRIS_HOME: world.home }
    const { stdout } = await promisify(execFile)(command, args, { env })
    const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] }
    return findings.filter(({ check }) => check === 'login').map(({ state, detail }) => `${state} ${detail}`)
  }
  const bash = (command: string) => ({ name: 'Bash', input: { command, description: 'obey' } })
  const write = (settings: object) =>
    writeFileSync(join(directory, 'managed-settings.json'), JSON.stringify(settings, null, 2))
  const isMade = (name: string) => existsSync(join(world.directory('backend'), name))

  const rows = [
    {
      by: ['ANTHROPIC_AUTH_TOKEN', 3],
      login: 'Bearer managed',
      settings: { env: { ANTHROPIC_AUTH_TOKEN: 'managed' }, disableAllHooks: true },
    },
    {
      by: ['apiKeyHelper', 2],
      login: 'Bearer helped',
      settings: { apiKeyHelper: 'echo helped', allowManagedHooksOnly: true },
    },
  ] as const
  test.each(firstIn(rows))(
    'count before the account of its team, as doctor says, and rules of config.yaml hold: $by.0',
    async ({ by: [name, line], login, settings }) => {
      write({ ...settings, permissions: { deny: ['Bash(mkdir *)'] } })
      await callTool(daemon, 'team_sleep', { team: 'backend' })
      const uses = orders(bash('sh -c "touch a"'), bash('mkdir b'), bash('cp /dev/null c'))
      const { response } = await ask(daemon, 'backend', uses)
      expect(response?.split('\n').slice(0, 3)).toEqual([
        login,
        expect.stringContaining('the rule Bash(touch *) of its permissions in config.yaml'),
        expect.stringMatching(/^refused: .*has been denied/),
      ])
      expect(['a', 'b', 'c'].filter(isMade)).toEqual(['c'])
      const place = `${name} in /etc/claude-code/managed-settings.json, line ${line}`
      expect(await logins()).toEqual([
        `warn by ${place} (managed settings), and not by the account of config.yaml`,
        `warn managed settings take precedence over config.yaml: ${place}`,
      ])
    },
  )

  if (isBrief) return

  test('with an address of their own get the token of the account, as doctor says', async () => {
    write({ env: { ANTHROPIC_BASE_URL: gateway.url } })
    await callTool(daemon, 'team_sleep', { team: 'backend' })
    const { response } = await ask(daemon, 'backend', 'hello')
    expect([response?.split('\n')[0], gateway.requests.turns]).toEqual(['Bearer sk-ant-oat01-account', 1])
    const place = 'ANTHROPIC_BASE_URL in /etc/claude-code/managed-settings.json, line 3'
    expect(await logins()).toEqual([
      expect.stringContaining(`at ${new URL(gateway.url).host} (${place})`),
      `warn managed settings take precedence over config.yaml: ${place}`,
    ])
  })
})
