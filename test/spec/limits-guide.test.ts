import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { localTime } from '../../src/app/cli/moment.ts'
import type { Script } from '../../src/app/demo/script.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { irisCommand } from '../support/program.ts'

const guide = readFileSync(new URL('../../docs/guide/limits.md', import.meta.url), 'utf8')
const [, example = ''] = /```yaml\n(.*?)```/s.exec(guide) ?? []
const hourMs = 3_600_000
const clock = new JumpingClock()

interface Account {
  readonly token: string
  /** Of its five hours. */
  used: number
}
const accounts = {
  team: { token: 'sk-ant-oat01-team', used: 0.62 },
  work: { token: 'sk-ant-oat01-work', used: 0.1 },
  private: { token: 'sk-ant-oat01-private', used: 0.1 },
} satisfies Record<string, Account>
/** Of all accounts, in seconds. */
let resetAt = Math.floor((Date.now() + hourMs) / 1000)

/** Says with which account it was asked, and how much of it is used. */
const script: Script = ({ headers: sent }) => {
  const token = String(sent.authorization).replace('Bearer ', '')
  const [name, { used }] = Object.entries<Account>(accounts).find(([, account]) => account.token === token)!
  const status = used >= 1 ? 'rejected' : 'allowed'
  const unified = 'anthropic-ratelimit-unified'
  const reset = String(resetAt)
  const headers = {
    [`${unified}-status`]: status,
    [`${unified}-reset`]: reset,
    [`${unified}-representative-claim`]: 'five_hour',
    [`${unified}-5h-status`]: status,
    [`${unified}-5h-reset`]: reset,
    [`${unified}-5h-utilization`]: String(used),
  }
  if (status === 'allowed') return { text: `I have the account ${name}.`, headers }
  return { error: { status: 429, type: 'rate_limit_error', message: 'This would exceed your limit.' }, headers }
}

let iris: TestIris
let env: Record<string, string>
/** As a newcomer types it, in the project of the team frontend. */
const typed = async (code: string): Promise<string> => {
  const run = promisify(execFile)('sh', ['-ec', code], { cwd: iris.world.directory('frontend'), env })
  run.child.stdin?.end()
  return (await run).stdout
}
const refusedWith = (code: string, words: string) =>
  expect(typed(code)).rejects.toMatchObject({ stderr: expect.stringContaining(words) })

/** The example of the page, with another team that names no account, and the directories of this test. */
const fromPage = (change: (teams: Record<string, Record<string, unknown>>) => void = () => {}) => {
  const { settings, teams } = parse(example) as {
    settings: Record<string, unknown>
    teams: Record<string, Record<string, unknown>>
  }
  for (const team of Object.values(teams)) delete team['path']
  change(teams)
  return { settings, teams: { frontend: {}, ...teams } }
}
const saved = async (config: ReturnType<typeof fromPage>): Promise<void> => {
  const reloaded = iris.event('config-reloaded')
  iris.world.writeConfig(config)
  await reloaded
}

beforeAll(async () => {
  iris = await TestIris.start({ script, clock, teams: ['frontend', 'backend', 'mobile'] })
  const { root } = iris.world
  const home = iris.world.env['HOME']!
  const programs = join(root, 'programs')
  mkdirSync(programs)
  writeFileSync(join(programs, 'iris'), `#!/bin/sh\nexec ${irisCommand} "$@"\n`, { mode: 0o755 })
  env = { ...iris.world.env, IRIS_HOME: iris.world.home, PATH: `${programs}:${iris.world.env['PATH']}` }
  mkdirSync(join(home, '.config'), { recursive: true })
  mkdirSync(join(home, '.claude-private'))
  // What "claude setup-token" printed and "/login" wrote.
  for (const name of ['team', 'work'] as const)
    writeFileSync(join(home, `.config/claude-${name}.token`), accounts[name].token)
  const login = { accessToken: accounts.private.token, refreshToken: 'r', expiresAt: 4e12, scopes: ['user:inference'] }
  const credentials = join(home, '.claude-private/.credentials.json')
  writeFileSync(credentials, JSON.stringify({ claudeAiOauth: login }), { mode: 0o600 })
  await saved(fromPage())
})
afterAll(() => iris[Symbol.asyncDispose]())

test('the accounts of the page, as a newcomer sets them up: each team asks with its own', async () => {
  await typed('chmod 644 ~/.config/claude-*.token')
  await refusedWith('iris tell backend "Who?" --thread early', 'others can read')
  await typed('chmod 600 ~/.config/claude-*.token')
  expect(await typed('iris tell backend "Who are you?"')).toContain('I have the account work.')
  expect(await typed('cd ../backend && iris tell frontend "Who are you?"')).toContain('I have the account team.')
  expect(await typed('iris tell mobile "Who are you?"')).toContain('I have the account private.')
  const usage = await typed('iris insight usage')
  const window = (percent: number) => ` {4}five-hour limit +${percent} % used +resets ${localTime(resetAt * 1000)}\n`
  for (const [team, percent] of [
    ['frontend', 62],
    ['backend', 10],
    ['mobile', 10],
  ] as const)
    expect(usage).toMatch(new RegExp(`Account of ${team}\n${window(percent)}`))
  expect(usage).toMatch(/\nSince .*:\n +messages +tokens in +tokens out +cost\n[^]*frontend → backend +2 /)
  expect(JSON.parse(await typed('iris insight usage --since 1d --json'))).toMatchObject({ accounts: [{}, {}, {}] })
})

test('a message over the limit waits for the reset and says so; teams with another account are answered', async () => {
  accounts.work.used = 1.01
  const words = `over its five-hour limit until ${localTime(resetAt * 1000)}`
  const id = (await typed('iris tell backend "Later." --async')).match(/[0-9a-f]{8}-[0-9a-f-]+/)![0]
  await eventually(async () => (await typed('iris status')).includes(`account: ${words}`), 'the limit is shown')
  expect(await typed('iris teams')).toMatch(new RegExp(`backend .*${words}`))
  expect(await typed(`iris result ${id} 2>&1 || true`)).toContain(words)
  expect(await typed('iris insight usage')).toContain(`Account of backend: ${words}`)
  await refusedWith('iris tell backend "Soon?" --timeout 60000', 'Ask again then, or without a timeout')
  await refusedWith('iris tell backend "Soon?" --budget \'{"time":60000}\'', 'or with a budget that allows more time')
  expect(await typed('cd ../backend && iris tell frontend "And you?"')).toContain('I have the account team.')
  accounts.work.used = 0.1
  await eventually(() => clock.dueAt(resetAt * 1000) > 0, 'the message waits for the reset')
  await clock.jump(hourMs + 1000)
  expect(await typed(`iris result ${id} --timeout 0`)).toContain('I have the account work.')
})

test('the share of the page holds for the account of its team, and a stopped tree ends what waits', async () => {
  accounts.private.used = 0.85
  resetAt = Math.floor((clock.now() + hourMs) / 1000)
  expect(await typed('iris tell mobile "How much is used?"')).toContain('I have the account private.')
  await eventually(
    async () => (await typed('iris teams')).includes('at your share of its five-hour limit until'),
    'the share is passed',
  )
  const id = (await typed('iris tell mobile "Later." --async')).match(/[0-9a-f]{8}-[0-9a-f-]+/)![0]
  const [, stop = ''] = /## End a tree\n\n```sh\n(.*?)```/s.exec(guide) ?? []
  expect(await typed(stop.replace('5f2c81d0', id.slice(0, 8)))).toContain(id.slice(0, 8))
  expect(await typed(`iris result ${id} 2>&1 || true`)).toContain('cancelled')
})

test('a conversation stays with its account, until the newcomer begins a new one or lets it go on', async () => {
  const other = { tokenFile: '~/.config/claude-team.token' }
  await saved(fromPage((teams) => Object.assign(teams['backend']!, { account: other })))
  await refusedWith('iris tell backend "Still there?"', 'belongs to the account')
  await typed(/`(iris reboot [^`]*)`/.exec(guide)![1]!)
  expect(await typed('iris tell backend "Still there?"')).toContain('I have the account team.')
  const back = { tokenFile: '~/.config/claude-work.token', mayContinue: true }
  await saved(fromPage((teams) => Object.assign(teams['backend']!, { account: back })))
  expect(await typed('iris tell backend "And now?"')).toContain('I have the account work.')
})
