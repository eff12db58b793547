import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BotApi } from '../support/bot-api.ts'
import { callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { type FakeClaudeSetup, fakeClaude } from '../support/fake-claude.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'

const minute = 60_000
let clock: JumpingClock
let api: BotApi
let fake: FakeClaudeSetup
let iris: TestIris
beforeAll(async () => {
  clock = new JumpingClock({ goesOn: true })
  api = await BotApi.start(() => clock.now())
  fake = fakeClaude({
    script: (file) => ({
      rules: [
        { when: 'slowly', steps: [{ partial: 'I begin' }, { waitForFile: file('never') }] },
        { steps: [{ text: 'The answer.' }] },
      ],
    }),
  })
  iris = await TestIris.start({
    clock,
    teams: { backend: { claudePath: fake.claudePath, env: fake.env } },
  })
  api.say('before Iris was there', { at: clock.now() - minute })
  writeFileSync(join(iris.world.home, 'telegram-token'), api.token, { mode: 0o600 })
  const shop = { platform: 'telegram', tokenFile: 'telegram-token', team: 'backend', apiRoot: api.url, allow: [42, 43] }
  iris.world.writeConfig({ channels: { shop } })
  await api.listens()
})
afterAll(async () => {
  await iris[Symbol.asyncDispose]()
  fake[Symbol.dispose]()
  await api[Symbol.asyncDispose]()
})
const posted = (text: string, times = 1, chat = 42) =>
  api.until(
    () => api.textsIn(chat).filter((each) => each === text).length === times,
    `${text} is posted ${times} times`,
  )
const asked = (): string[] => fake.oracle().flatMap((entry) => (entry.event === 'message' ? [entry.text] : []))

test('what was written before the first start of a channel is not answered', async () => {
  api.say('now')
  await posted('The answer.')
  // The post comes before its row says so.
  const answered = `SELECT 1 FROM channel_messages WHERE state = 'answered'`
  await eventually(() => iris.rows(answered).length === 1, 'its row says so')
  expect(iris.rows('SELECT state FROM channel_messages ORDER BY received_at')).toEqual([
    { state: 'handled' },
    { state: 'answered' },
  ])
  expect(asked()).toHaveLength(1)
})

test('a command of Claude Code is text like any other', async () => {
  api.say('/compact')
  await posted('The answer.', 2)
  expect(asked().at(-1)).toMatch(/^<iris-/)
  expect(asked().at(-1)).toContain('/compact')
})

test('/stop ends the answer that is being written, and what waits is answered', async () => {
  api.say('slowly')
  // The text so far is posted once a second at most.
  await eventually(async () => {
    await clock.jump(1000, { while: 'busy' })
    return api.textsIn(42).includes('I begin')
  }, 'the text so far is posted')
  api.say('and this')
  api.say('/stop')
  await posted('I begin\n\n(Stopped.)')
  await posted('The answer.', 3)
  await api.posted(42, 'Stopped.')
})

test('a bot that was removed from a chat: the answer is marked as failed and counted, and other chats go on', async () => {
  api.faults.push({ method: 'sendMessage', fault: '403' })
  api.say('nobody hears it', { from: 43 })
  await eventually(() => iris.rows(`SELECT 1 FROM channel_posts WHERE state = 'failed'`).length === 1, 'it is marked')
  const owner = { port: iris.port, token: iris.world.owner() }
  expect(await callTool(owner, 'list_channels')).toMatchObject({ channels: [{ posts: { failed: 1 } }] })
  const [row] = iris.rows(`SELECT problem FROM channel_posts WHERE state = 'failed'`)
  expect(row!['problem']).toContain('bot was blocked')
  api.say('here')
  await posted('The answer.', 4)
  await eventually(() => iris.rows(`SELECT 1 FROM turns WHERE state <> 'settled'`).length === 0, 'nothing is answered')
})

test('an idle conversation ends by itself, without a message', async () => {
  const live = () => iris.rows(`SELECT 1 FROM team_sessions WHERE status <> 'archived'`)
  expect(live()).not.toEqual([])
  await eventually(async () => {
    await clock.jump(5 * minute)
    return live().length === 0
  }, 'all are archived')
  expect(iris.rows('SELECT DISTINCT archived_why FROM team_sessions')).toEqual([
    { archived_why: 'nobody wrote for too long' },
  ])
})
