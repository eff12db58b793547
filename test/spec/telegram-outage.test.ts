import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { BotApi } from '../support/bot-api.ts'
import { callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'

const minute = 60_000

const script: Script = ({ conversation: { lastUserText } }) => {
  const [, said = ''] = /<iris-message [^>]*>\n([\s\S]*)\n<\/iris-message>/.exec(lastUserText) ?? []
  return { text: `You said: ${said}` }
}

let clock: JumpingClock
let api: BotApi
let iris: TestIris
beforeEach(async () => {
  clock = new JumpingClock()
  api = await BotApi.start(() => clock.now())
  iris = await TestIris.start({ claude: 'either', script, clock, teams: { backend: {} } })
  writeFileSync(join(iris.world.home, 'telegram-token'), api.token, { mode: 0o600 })
  const shop = { platform: 'telegram', tokenFile: 'telegram-token', team: 'backend', apiRoot: api.url, allow: [42] }
  iris.world.writeConfig({ channels: { shop: { ...shop, catchUpMessages: 2 } } })
  await eventually(async () => (await link()).state === 'connected', 'it is connected')
})
afterEach(async () => {
  await iris[Symbol.asyncDispose]()
  await api[Symbol.asyncDispose]()
})

async function link(): Promise<{ readonly state?: string }> {
  const { channels } = await callTool({ port: iris.port, token: iris.world.owner() }, 'list_channels')
  return (channels as { link: { state: string } }[])[0]?.link ?? {}
}
const settled = (count: number) =>
  eventually(
    () => iris.rows(`SELECT 1 FROM turns WHERE state = 'settled'`).length === count,
    `${count} messages are answered`,
  )
const posted = (text: string | RegExp) => api.posted(42, text)

test('Telegram is away for an hour: that is shown, tried again ever less often, and nothing is lost or said twice', async () => {
  api.say('before')
  await eventually(() => iris.rows('SELECT 1 FROM turns').length === 1, 'it is asked')
  api.isDown = true
  await settled(1)
  await eventually(async () => (await link()).state === 'retrying', 'it is shown')
  api.say('far too early')
  await clock.jump(10 * minute)
  for (const text of ['first', 'second', 'one too many']) api.say(text)
  for (let passed = 0; passed < 52; passed += 1) await clock.jump(minute)
  expect(await link()).toMatchObject({ state: 'retrying' })
  // Fetching and posting each try once a minute at the most.
  expect(api.tries).toBeLessThan(200)

  api.isDown = false
  await eventually(async () => {
    if ((await link()).state === 'connected') return true
    await clock.jump(1000)
    return false
  }, 'it is connected again')
  await settled(3)
  await posted(/^2 older messages were not answered/)
  expect(iris.rows(`SELECT text FROM channel_messages WHERE state = 'skipped' ORDER BY update_id`)).toEqual([
    { text: 'far too early' },
    { text: 'one too many' },
  ])
  await eventually(
    () => iris.rows(`SELECT 1 FROM channel_posts WHERE state <> 'posted'`).length === 0,
    'everything is posted',
  )
  // The conversation starts over after the hour, and the chat learns: that precedes the answer.
  const answers = api.textsIn(42).flatMap((text) => /You said: .*$/.exec(text)?.[0] ?? [])
  expect(answers).toEqual(['You said: before', 'You said: first', 'You said: second'])
})

test('a wall clock that jumps by hours skips and loses nothing that is written meanwhile', async () => {
  for (const [text, hours] of [
    ['the clock is ahead', 5],
    ['the clock is behind', -5],
  ] as const) {
    const isTrue = clock.now() - clock.wallAhead
    clock.wallAhead = hours * 60 * minute
    api.say(text, { at: isTrue })
    await posted(`You said: ${text}`)
  }
  // The post comes before its row says so.
  const states = () => iris.rows('SELECT state FROM channel_messages').map(({ state }) => state)
  await eventually(() => states().every((state) => state === 'answered'), 'both are answered')
  expect(states()).toHaveLength(2)
})
