import { afterAll, beforeAll, expect, test } from 'vitest'
import { localTime } from '../../src/app/cli/moment.ts'
import { authenticationFailure, type Script } from '../../src/app/demo/script.ts'
import { consoleMeta } from '../../src/base/protocol/daemon.ts'
import { limitWords } from '../../src/base/protocol/limit.ts'
import { usageLines } from '../../src/views/usage/commands/usage-lines.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { runCommand } from '../support/run-command.ts'
import { spoken } from '../support/world.ts'

const hourMs = 3_600_000
const clock = new JumpingClock({ goesOn: true })
/** The API's data on the account's five-hour limit: how much is used, and when it resets. */
const account = { used: 0.2, resetsInMs: hourMs, isLoggedIn: true }

const script: Script = ({ conversation: { userTexts } }) => {
  const status = account.used >= 1 ? 'rejected' : 'allowed'
  const reset = String(Math.floor((clock.now() + account.resetsInMs) / 1000))
  const unified = 'anthropic-ratelimit-unified'
  const headers = {
    [`${unified}-status`]: status,
    [`${unified}-reset`]: reset,
    [`${unified}-representative-claim`]: 'five_hour',
    [`${unified}-5h-status`]: status,
    [`${unified}-5h-reset`]: reset,
    [`${unified}-5h-utilization`]: String(account.used),
  }
  const asked = userTexts.findLast((text) => text.includes('<iris-message '))
  const said = asked?.split('\n').findLast((line) => !line.startsWith('<'))
  if (!account.isLoggedIn) return { ...authenticationFailure, headers }
  if (status === 'allowed') return { text: `You said: ${said}`, headers }
  const message = "This request would exceed your account's rate limit. Please try again later."
  return { error: { status: 429, type: 'rate_limit_error', message }, headers }
}

let iris: TestIris
beforeAll(async () => {
  // The API names its limits to a login, and to no key.
  const env = { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-scripted' }
  const teams = { frontend: {}, backend: {}, mobile: { live: 'yes' } }
  iris = await TestIris.start({ script, clock, settings: { env, limitAt: 0.9 }, teams })
})
afterAll(() => iris[Symbol.asyncDispose]())

const limitedUntil = async (): Promise<number | undefined> => {
  const { teams } = (await callTool(iris, 'list_teams')) as { teams: { config: { limitedUntil?: number } }[] }
  return teams[0]!.config.limitedUntil
}
const send = async (toTeam: string, message: string): Promise<string> =>
  String((await callTool(iris, 'quick_message', { toTeam, message }))['turnId'])
/** A message that waits has a timer for the time of the reset. Until then its turn may still be under way. */
const waiting = (messages: number, until: number) =>
  eventually(() => clock.dueAt(until) >= messages, `${messages} wait for the reset`)
const answerTo = (turnId: string) => callTool(iris, 'message_status', { turnId, timeout: 0 })

test('with the real Claude Code: what a limit stops waits for the reset, in all teams, and goes on by itself', async () => {
  account.used = 1.01
  const first = await send('backend', 'one')
  const until = await eventually(limitedUntil, 'the limit')
  const second = await send('mobile', 'two')
  const third = await send('mobile', 'three')

  const refused = await refusal(iris, 'send_message', { toTeam: 'frontend', message: 'soon?', timeout: 60_000 })
  expect(refused).toMatchObject({ code: 'limited', message: expect.stringContaining(new Date(until).toISOString()) })
  expect(refused.retryAfterMs).toBeGreaterThan(60_000)
  expect(await callTool(iris, 'message_status', { turnId: first })).toMatchObject({
    status: 'async',
    limitedUntil: until,
  })
  expect(await callTool(iris, 'message_status', { turnId: second })).toMatchObject({
    delivered: false,
    limitedUntil: until,
  })
  expect(await callTool(iris, 'team_status', { team: 'mobile' })).toMatchObject({
    teams: [{ config: { limitedUntil: until } }],
  })

  account.used = 0.1
  // The third waits behind the second, in the queue of their pair.
  await waiting(2, until)
  await clock.jump(hourMs + 1000)
  expect(await answerTo(first)).toMatchObject({ status: 'completed', response: 'You said: one' })
  expect(await answerTo(second)).toMatchObject({ status: 'completed', response: 'You said: two' })
  expect(await answerTo(third)).toMatchObject({ status: 'completed', response: 'You said: three' })
  expect(await limitedUntil()).toBeUndefined()
  expect(iris.rows(`SELECT count(*) AS n FROM deliveries WHERE turn = '${first}'`)).toEqual([{ n: 2 }])
  const inOrder = `SELECT id FROM turns WHERE id IN ('${second}', '${third}') ORDER BY dispatched_at`
  expect(iris.rows(inOrder)).toEqual([{ id: second }, { id: third }])
})

test('an ask that meets the limit while it waits is told at once if its time ends before, and so is one behind it', async () => {
  account.used = 1.01
  const asked = { toTeam: 'backend', timeout: hourMs / 2 }
  const sent = ['first', 'behind'].map((message) => callTool(iris, 'send_message', { ...asked, message }))
  const told = await Promise.all(sent)
  for (const each of told) {
    expect(each).toMatchObject({ status: 'mcp_timeout', limitedBy: 'five_hour' })
    expect(Number(each['limitedUntil']) - clock.now()).toBeGreaterThan(hourMs / 2)
  }
  account.used = 0.1
  // Each refusal names another second.
  const waits = async () => clock.dueAt((await limitedUntil()) ?? 0) >= 1
  await eventually(waits, 'the first one waits for the reset')
  await clock.jump(hourMs + 1000)
  for (const [index, message] of ['first', 'behind'].entries())
    expect(await answerTo(String(told[index]!['turnId']))).toMatchObject({ response: `You said: ${message}` })
})

test('the share that the person sets is enough, and a message that waits can be cancelled', async () => {
  account.used = 0.93
  expect(await ask(iris, 'backend', 'four')).toMatchObject({ status: 'completed', response: 'You said: four' })
  expect(await limitedUntil()).toBeGreaterThan(clock.now())
  const held = await send('backend', 'five')
  await callTool(iris, 'session_cancel', { turnId: held })
  expect(await answerTo(held)).toMatchObject({ status: 'cancelled', delivered: false })
  account.used = 0.1
  await clock.jump(hourMs + 1000)
  expect(spoken((await ask(iris, 'backend', 'six')).response!)).toBe('You said: six')
})

test('a reset in the past stops nothing: the message fails as it did', async () => {
  account.used = 1.01
  account.resetsInMs = -hourMs
  expect(await ask(iris, 'backend', 'seven')).toMatchObject({ status: 'failed', reason: 'api_rate_limited' })
  expect(await limitedUntil()).toBeUndefined()
})

test('a limit is still known after a restart, and shown with what was used', async () => {
  Object.assign(account, { used: 1.01, resetsInMs: hourMs })
  const held = await send('backend', 'eight')
  const until = await eventually(limitedUntil, 'the limit')
  await iris.restart({ clock })
  expect(await limitedUntil()).toBe(until)
  const usage = await callTool(iris, 'get_usage')
  expect(usage).toMatchObject({
    accounts: [{ teams: ['frontend', 'backend', 'mobile'], limitedUntil: until, limitedBy: 'five_hour' }],
    pairs: expect.arrayContaining([expect.objectContaining({ from: 'external', to: 'mobile', messages: 2 })]),
  })
  expect((usage['accounts'] as { windows: object[] }[])[0]?.windows).toContainEqual({
    name: 'five_hour',
    utilization: 1.01,
    resetsAt: until,
  })
  expect(usageLines(usage as never, Number.POSITIVE_INFINITY).join('\n')).toMatch(
    /over its five-hour limit until .*\n.*101 % used[^]*you → mobile/,
  )
  for (const command of ['status', 'teams']) {
    const { stdout } = await runCommand(iris.world, [command])
    expect(stdout).toContain(`over its five-hour limit until ${localTime(until)}`)
  }
  expect(await callTool(iris, 'get_switchboard')).toMatchObject({ teams: [{ limitedUntil: until }, {}, {}] })
  account.used = 0.1
  await waiting(1, until)
  await clock.jump(hourMs + 1000)
  expect(await answerTo(held)).toMatchObject({ status: 'completed', response: 'You said: eight' })
})

test('messages wait for a login that has run out, say how to log in, and go on by themselves', async () => {
  account.isLoggedIn = false
  const first = await send('backend', 'nine')
  await eventually(limitedUntil, 'the login')
  expect(await callTool(iris, 'message_status', { turnId: first })).toMatchObject({
    status: 'async',
    limitedBy: 'login',
  })
  const { teams } = (await callTool(iris, 'list_teams')) as { teams: { config: { limitedBy?: string } }[] }
  expect(limitWords(teams[0]?.config.limitedBy, 0, { at: String, now: 0 })).toContain(
    'run "claude" on the team\'s machine, then /login',
  )
  account.isLoggedIn = true
  await clock.jump(61_000)
  expect(await answerTo(first)).toMatchObject({ status: 'completed', response: 'You said: nine' })
  expect(await limitedUntil()).toBeUndefined()
})

test('after a person has logged in, the next message tries the login at once, and the others follow', async () => {
  account.isLoggedIn = false
  const first = await send('backend', 'ten')
  await eventually(limitedUntil, 'the login')
  account.isLoggedIn = true
  expect(await ask(iris, 'mobile', 'eleven', { timeout: 30_000 })).toMatchObject({ status: 'completed' })
  expect(await answerTo(first)).toMatchObject({ status: 'completed', response: 'You said: ten' })
})

test('a message for an open session waits for no limit, as Iris gives it to no process', async () => {
  account.used = 1.01
  const held = await send('backend', 'later')
  await eventually(limitedUntil, 'the limit')
  const bridge = { directory: iris.world.directory('mobile'), meta: { [consoleMeta]: 'open' } }
  const left = new AbortController()
  const isOpen = callTool(iris, 'late_answers', {}, { ...bridge, signal: left.signal }).catch(() => undefined)
  const asked = await eventually(async () => {
    const live = { toTeam: 'mobile', message: 'Look.', deliver: 'live', timeout: -1 }
    const sent = await callTool(iris, 'send_message', live)
    return 'error' in sent ? undefined : sent
  }, 'it is accepted')
  expect(asked).not.toHaveProperty('limitedUntil')
  await callTool(iris, 'session_cancel', { turnId: asked['turnId'] })
  await callTool(iris, 'session_cancel', { turnId: held })
  left.abort()
  await isOpen
  account.used = 0.1
  await clock.jump(hourMs + 1000)
})
