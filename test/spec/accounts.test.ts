import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authenticationFailure, type Script } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'

const tokens = { own: 'sk-ant-oat01-own', work: 'sk-ant-oat01-work', home: 'sk-ant-oat01-home' }
const over = new Set<string>()
/** Tokens that the API takes no more. */
const revoked = new Set<string>()

/** Says with which token it was asked; those in `over` are over their limit. */
const script: Script = ({ headers: sent }) => {
  const token = String(sent.authorization).replace('Bearer ', '')
  if (revoked.has(token)) return authenticationFailure
  const unified = 'anthropic-ratelimit-unified'
  const status = over.has(token) ? 'rejected' : 'allowed'
  const reset = String(Math.floor(Date.now() / 1000) + 3600)
  const headers = {
    [`${unified}-status`]: status,
    [`${unified}-reset`]: reset,
    [`${unified}-representative-claim`]: 'five_hour',
    [`${unified}-5h-status`]: status,
    [`${unified}-5h-reset`]: reset,
    [`${unified}-5h-utilization`]: '0.5',
  }
  if (status === 'allowed') return { text: token, headers }
  return { error: { status: 429, type: 'rate_limit_error', message: 'This would exceed your limit.' }, headers }
}

let iris: TestIris
const tokenFile = () => join(iris.world.root, 'work.token')
const directory = () => join(iris.world.root, '.claude-home')
const teams = (work: Readonly<Record<string, unknown>>) => ({
  own: {},
  work,
  home: { account: { configDirectory: directory() } },
})
const savedConfig = async (config: Parameters<TestIris['world']['writeConfig']>[0]): Promise<void> => {
  // Not `iris.event`, which also finds a reload of the past.
  const reloaded = new Promise<void>((resolve) => {
    iris.daemon.events$.subscribe(({ type }) => type === 'config-reloaded' && resolve())
  })
  iris.world.writeConfig(config)
  await reloaded
}
const saved = (work: Readonly<Record<string, unknown>>): Promise<void> => savedConfig({ teams: teams(work) })

beforeAll(async () => {
  const env = { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: tokens.own }
  iris = await TestIris.start({ script, settings: { env }, teams: ['own', 'work', 'home'] })
  writeFileSync(tokenFile(), `${tokens.work}\n`, { mode: 0o600 })
  mkdirSync(directory())
  const login = { accessToken: tokens.home, refreshToken: 'r', expiresAt: 4e12, scopes: ['user:inference'] }
  writeFileSync(join(directory(), '.credentials.json'), JSON.stringify({ claudeAiOauth: login }), { mode: 0o600 })
  await saved({ account: { tokenFile: tokenFile() } })
})
afterAll(() => iris[Symbol.asyncDispose]())

test('with the real Claude Code: each team asks the model with the login of its account', async () => {
  expect(await ask(iris, 'own', 'who?')).toMatchObject({ response: tokens.own })
  expect(await ask(iris, 'work', 'who?')).toMatchObject({ response: tokens.work })
  expect(await ask(iris, 'home', 'who?')).toMatchObject({ response: tokens.home })
  const { accounts } = (await callTool(iris, 'get_usage')) as { accounts: { teams: string[] }[] }
  expect(accounts.map((account) => account.teams)).toEqual([['own'], ['work'], ['home']])
})

test('a copy of a conversation stays with the account of the original', { tags: ['thorough'] }, async () => {
  await callTool(iris, 'session_fork', { toTeam: 'work', newThread: 'copy' })
  await callTool(iris, 'session_fork', { toTeam: 'work', newThread: 'kept' })
  expect(await ask(iris, 'work', 'go on', { thread: 'copy' })).toMatchObject({ response: tokens.work })
  await saved({})
  expect(await ask(iris, 'work', 'go on', { thread: 'kept' })).toMatchObject({
    status: 'failed',
    reason: 'account_unusable',
  })
  await saved({ account: { tokenFile: tokenFile() } })
})

test('the limit of one account holds up nobody with another one', async () => {
  over.add(tokens.work)
  const { turnId } = await callTool(iris, 'quick_message', { toTeam: 'work', message: 'later' })
  await eventually(
    async () => (await callTool(iris, 'message_status', { turnId }))['limitedUntil'] !== undefined,
    'the limit of the account',
  )
  expect(await ask(iris, 'own', 'and you?')).toMatchObject({ response: tokens.own })
  expect(await ask(iris, 'home', 'and you?')).toMatchObject({ response: tokens.home })
  over.clear()
  await callTool(iris, 'session_cancel', { turnId })
})

test('the share from which messages wait is that of the account, where it has one', {
  tags: ['thorough'],
}, async () => {
  iris.change('DELETE FROM account_limits')
  await iris.restart()
  await saved({ account: { tokenFile: tokenFile(), limitAt: 0.4 } })
  for (const team of ['own', 'home', 'work'])
    expect(await ask(iris, team, 'now?')).toMatchObject({ status: 'completed' })
  const { accounts } = (await callTool(iris, 'get_usage')) as { accounts: { teams: string[]; limitedBy?: string }[] }
  const limited = accounts.flatMap(({ teams: those, limitedBy }) => (limitedBy === undefined ? [] : those))
  expect(limited).toEqual(['work'])
})

test('a conversation never goes to another account unless the person says so', async () => {
  const other = join(iris.world.root, 'other.token')
  writeFileSync(other, 'sk-ant-oat01-other', { mode: 0o600 })
  iris.change('DELETE FROM account_limits')
  await iris.restart()
  await saved({ account: { tokenFile: other } })
  const refused = await ask(iris, 'work', 'again?')
  expect(refused).toMatchObject({ status: 'failed', reason: 'account_unusable' })
  expect(refused.detail).toContain(`external→work belongs to the account ${tokenFile()}`)
  expect(await ask(iris, 'work', 'new?', { thread: 'other' })).toMatchObject({ response: 'sk-ant-oat01-other' })
  await saved({ account: { tokenFile: other, mayContinue: true } })
  expect(await ask(iris, 'work', 'and now?')).toMatchObject({ response: 'sk-ant-oat01-other' })
})

test('teams that name no login have that of their host', { tags: ['thorough'] }, async () => {
  const others = { work: { env: { CLAUDE_CODE_OAUTH_TOKEN: tokens.own, ANTHROPIC_API_KEY: '' } }, home: {} }
  const settings = { env: {}, account: { tokenFile: tokenFile() } }
  await savedConfig({ settings, teams: { ...teams({}), ...others } })
  expect(await ask(iris, 'home', 'who?', { thread: 'host' })).toMatchObject({ response: tokens.work })
  expect(await ask(iris, 'work', 'who?', { thread: 'host' })).toMatchObject({ response: tokens.own })
})

test('a token that ran out is replaced in its file, and warm processes get the new one', async () => {
  const fresh = 'sk-ant-oat01-fresh'
  iris.change('DELETE FROM account_limits')
  await iris.restart()
  await saved({ account: { tokenFile: tokenFile(), limitAt: 1 } })
  expect(await ask(iris, 'work', 'still?', { thread: 'renewed' })).toMatchObject({ response: tokens.work })
  revoked.add(tokens.work)
  const first = { toTeam: 'work', message: 'first', thread: 'renewed' }
  const { turnId } = await callTool(iris, 'quick_message', first)
  await iris.event('account-limited', ({ window }) => window === 'token')
  expect(await callTool(iris, 'message_status', { turnId })).toMatchObject({ limitedBy: 'token' })
  writeFileSync(tokenFile(), fresh)
  expect(await ask(iris, 'work', 'now?', { thread: 'more' })).toMatchObject({ response: fresh })
  expect(await callTool(iris, 'message_status', { turnId, timeout: 0 })).toMatchObject({ response: fresh })
})

test('an account that cannot be used is a clear error, and its token is nowhere', { tags: ['thorough'] }, async () => {
  await saved({ account: { tokenFile: join(iris.world.root, 'nowhere') } })
  expect(await ask(iris, 'work', 'x', { thread: 'a' })).toMatchObject({
    reason: 'account_unusable',
    detail: expect.stringMatching(/token file not found: .*setup-token/s),
  })
  chmodSync(tokenFile(), 0o644)
  await saved({ account: { tokenFile: tokenFile() } })
  expect(await ask(iris, 'work', 'x', { thread: 'b' })).toMatchObject({
    reason: 'account_unusable',
    detail: expect.stringContaining('others can read'),
  })
  await saved({ account: { configDirectory: join(iris.world.root, 'nowhere') } })
  expect(await ask(iris, 'work', 'x', { thread: 'c' })).toMatchObject({
    reason: 'api_auth',
    detail: expect.stringContaining('Please run /login'),
  })
  const stored = JSON.stringify(iris.rows('SELECT launch_command, team_config_snapshot FROM team_sessions'))
  for (const token of [tokens.work, tokens.home]) expect(stored).not.toContain(token)
})
