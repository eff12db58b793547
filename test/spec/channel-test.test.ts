import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testLines } from '../../src/features/channels/commands/channels.ts'
import { channelCostLines } from '../../src/views/usage/commands/stats.ts'
import { BotApi } from '../support/bot-api.ts'
import { callTool } from '../support/call-tool.ts'
import { DiscordDouble } from '../support/discord-double.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { SlackDouble } from '../support/slack-double.ts'

const channel = '600000000000000001'
let telegram: BotApi
let discord: DiscordDouble
let slack: SlackDouble
let iris: TestIris
beforeAll(async () => {
  telegram = await BotApi.start()
  discord = await DiscordDouble.start(undefined, [channel])
  slack = await SlackDouble.start(undefined, ['C0SHOP'])
  iris = await TestIris.start({ teams: { backend: {} } })
  const write = (file: string, token: string): void =>
    writeFileSync(join(iris.world.home, file), token, { mode: 0o600 })
  write('telegram-token', telegram.token)
  write('wrong-token', '1:wrong')
  for (const [file, token] of [...Object.entries(discord.config().files), ...Object.entries(slack.config().files)])
    write(file, token)
  const own = { platform: 'telegram', team: 'backend', apiRoot: telegram.url }
  iris.world.writeConfig({
    channels: {
      tele: { ...own, tokenFile: 'telegram-token', allow: [42], groups: { '-100': 'always' } },
      wrong: { ...own, tokenFile: 'wrong-token' },
      none: { ...own, tokenFile: 'no-such-file' },
      disc: {
        ...discord.config().entry,
        team: 'backend',
        groups: { [channel]: 'always', '600000000000000009': 'mention' },
      },
      slack: { ...slack.config().entry, team: 'backend', groups: { C0SHOP: 'mention', C0OTHER: 'mention' } },
    },
  })
  await iris.event('config-reloaded')
})
afterAll(async () => {
  await iris[Symbol.asyncDispose]()
  await Promise.all([telegram, discord, slack].map((double) => double[Symbol.asyncDispose]()))
})

type Tested = Parameters<typeof testLines>[0]
const tested = async (name: string) =>
  (await callTool({ port: iris.port, token: iris.world.owner() }, 'test_channel', {
    channel: name,
  })) as unknown as Tested

test('a bot of Telegram: its name, a webhook, privacy mode, a group that it is not in', async () => {
  telegram.webhook = 'https://example.org'
  expect(await tested('tele')).toMatchObject({
    isValid: true,
    as: '@shop_bot',
    missing: [
      expect.stringContaining('webhook'),
      expect.stringContaining('/setprivacy'),
      expect.stringContaining('not in the group -100'),
    ],
  })
  telegram.webhook = ''
  telegram.rights = { can_read_all_group_messages: true }
  telegram.groups.add('-100')
  const found = await eventually(async () => {
    const now = await tested('tele')
    return now.link.state === 'connected' && now
  }, 'the bot is connected')
  expect(testLines(found)).toEqual([
    'tele is @shop_bot; its tokens are valid. Its connection is connected.',
    'Nothing is missing.',
  ])
})

test('a wrong token, and none, are said without the token', async () => {
  const wrong = await tested('wrong')
  expect(wrong).toMatchObject({ isValid: false, why: 'Telegram does not know the token (Unauthorized)', missing: [] })
  expect(testLines(wrong)).toEqual(['wrong does not work: Telegram does not know the token (Unauthorized).'])
  expect(await tested('none')).toMatchObject({ isValid: false, why: expect.stringContaining('no-such-file') })
})

test('a bot of Discord: its name, the intent for texts, a channel that it does not see', async () => {
  discord.givesContent = false
  expect(await tested('disc')).toMatchObject({
    isValid: true,
    as: 'shop_bot',
    missing: [expect.stringContaining('Message Content Intent'), expect.stringContaining('600000000000000009')],
  })
})

test('a bot of Slack: its name, a scope that is missing, a channel that it may not read', async () => {
  slack.scopes = slack.scopes.filter((scope) => scope !== 'reactions:write')
  expect(await tested('slack')).toMatchObject({
    isValid: true,
    as: 'shop_bot',
    missing: [expect.stringContaining('The scope reactions:write'), expect.stringContaining('C0OTHER')],
  })
})

test('iris insight stats --channels: the second message reads from the cache what the first wrote to it', async () => {
  for (const count of [1, 2]) {
    telegram.say('hello')
    const answers = (): number => telegram.textsIn(42).filter((text) => text.startsWith('You said')).length
    await telegram.until(() => answers() === count, `${count} answers`)
  }
  const output = await callTool({ port: iris.port, token: iris.world.owner() }, 'list_channels')
  const { channels } = output as { channels: Parameters<typeof channelCostLines>[0] }
  const tele = channels.find(({ name }) => name === 'tele')!
  const [first, later] = [tele.firstMessages!, tele.laterMessages!]
  expect([first.messages, later.messages]).toEqual([1, 1])
  expect(first.cacheWrite).toBeGreaterThan(0)
  expect(later.cacheRead).toBeGreaterThan(first.cacheRead)
  expect(later.cacheWrite + later.input).toBeLessThan(first.cacheWrite + first.input)
  const [head, ...rows] = channelCostLines(channels, Number.POSITIVE_INFINITY)
  expect(head).toMatch(/^channel +message +answered +read from the cache/)
  expect(rows.map((row) => row.split(/ +/).slice(0, 3).join(' '))).toEqual([
    'tele first 1',
    'tele later 1',
    'Averages, in tokens.',
  ])
})

test('who is removed: somebody that was let in, somebody of config.yaml, and nobody', async () => {
  const change = (action: string, who: string): Promise<object> =>
    callTool({ port: iris.port, token: iris.world.owner() }, 'change_channel', { channel: 'tele', action, who })
  await change('allow', '43')
  expect(await change('remove', '43')).toMatchObject({ sender: '43', isAllowed: false })
  expect(await change('remove', '42')).toMatchObject({ sender: '42', isAllowed: true })
  const message = 'Nobody with the id 43 may talk in tele or has asked to.'
  expect(await change('remove', '43')).toMatchObject({ error: { code: 'not_found', message } })
})

test('a channel that config.yaml does not have', async () => {
  expect(await tested('other')).toMatchObject({ error: { message: 'There is no channel "other".' } })
})
