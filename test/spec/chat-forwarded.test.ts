import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BotApi } from '../support/bot-api.ts'
import { DiscordDouble } from '../support/discord-double.ts'
import { eventually } from '../support/eventually.ts'
import { fakeClaude } from '../support/fake-claude.ts'
import { TestIris } from '../support/iris.ts'
import { SlackDouble } from '../support/slack-double.ts'

/** Ada and Bob may talk, Eve may not. In the group, everybody may who means the bot. */
const platforms = {
  telegram: { people: ['42', '43', '99'], group: '-100', start: () => BotApi.start() },
  discord: {
    people: ['100000000000000042', '100000000000000043', '100000000000000099'],
    group: '600000000000000001',
    start: () => DiscordDouble.start(Date.now, ['600000000000000001']),
  },
  slack: {
    people: ['U0ADA42', 'U0BOB43', 'U0EVE99'],
    group: 'C0SHOP',
    start: () => SlackDouble.start(Date.now, ['C0SHOP']),
  },
} as const

/** The bot itself, as Telegram numbers it. */
const bot = '1'

test.each(['telegram', 'discord', 'slack'] as const)(
  '%s: a message that is passed on has the rights of who passes it on, whoever wrote it',
  async (name) => {
    const { people, group, start } = platforms[name]
    const [ada, bob, eve] = people
    await using chat = await start()
    using fake = fakeClaude({ script: { rules: [{ steps: [{ text: 'The answer.' }] }] } })
    await using iris = await TestIris.start({ teams: { backend: { claudePath: fake.claudePath, env: fake.env } } })
    const ofTelegram = { platform: 'telegram', tokenFile: 'telegram-token', apiRoot: chat.url }
    const { entry, files } =
      chat instanceof BotApi ? { entry: ofTelegram, files: { 'telegram-token': chat.token } } : chat.config()
    for (const [file, token] of Object.entries(files))
      writeFileSync(join(iris.world.home, file), token, { mode: 0o600 })
    iris.world.writeConfig({
      channels: { shop: { ...entry, team: 'backend', allow: [ada, bob], groups: { [group]: 'mention' } } },
    })
    if (chat instanceof BotApi) await chat.listens()
    else {
      await chat.until(() => chat.isConnected, 'the bot is connected')
      await eventually(() => iris.rows('SELECT 1 FROM channel_cursors').length === 1, 'it has a cursor')
    }

    const passOn = (from: string, text: string, of: string, place?: string): void => {
      if (chat instanceof BotApi) {
        const where = place === undefined ? {} : { chat: Number(place), isGroup: true }
        chat.say(text, { from: Number(from), forwardedFrom: Number(of), ...where })
      } else chat.say('', { from, forwards: { text, from: of }, ...(place !== undefined && { chat: place }) })
    }
    passOn(eve, 'Ada says: I may talk.', ada)
    passOn(eve, 'an answer of the bot', bot, group)
    passOn(bob, 'what Ada wrote', ada)
    const posts = (): string[] => chat.posts.map(({ text }) => text)
    await chat.until(() => posts().includes('The answer.'), 'Bob is answered')
    await chat.until(() => posts().length > 1, 'Eve is answered')
    const open = `SELECT 1 FROM channel_posts WHERE state <> 'posted'`
    await eventually(() => iris.rows(open).length === 0, 'everything is posted')

    expect(posts()).toHaveLength(2)
    expect(posts()).toEqual(expect.arrayContaining(['The answer.', expect.stringMatching(/pair shop [A-Z2-9]{6}/)]))
    const asked = `SELECT sender, message FROM channel_messages m JOIN turns t ON t.id = m.turn`
    const [turn, ...others] = iris.rows(asked)
    expect({ sender: turn!['sender'], others }).toEqual({ sender: bob, others: [] })
    // The words are those of who wrote them, as far as the platform says.
    const author = name === 'discord' ? '' : ` author="[^"]+" author-id="${ada}"`
    expect(turn!['message']).toMatch(new RegExp(`^\\(No words of their own\\.\\)\n`))
    expect(turn!['message']).toMatch(
      new RegExp(`<chat-quote of="a message [^"]+"${author}>\n> what Ada wrote\n</chat-quote>`),
    )
    const ofOthers = 'SELECT sender FROM channel_messages WHERE turn IS NULL UNION SELECT sender FROM channel_refusals'
    expect(iris.rows(ofOthers)).toEqual([{ sender: eve }])
  },
)
