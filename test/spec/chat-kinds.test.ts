import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { ChatMessage } from '../../src/features/channels/chat-message.ts'
import type { DiscordMessage } from '../../src/features/channels/discord/discord-message.ts'
import { discordKinds, discordTypes } from '../../src/features/channels/discord/kinds.ts'
import { readMessage as readDiscord } from '../../src/features/channels/discord/read-message.ts'
import type { MessageKind } from '../../src/features/channels/message-kinds.ts'
import { slackKinds } from '../../src/features/channels/slack/kinds.ts'
import { readMessage as readSlack } from '../../src/features/channels/slack/read-message.ts'
import type { SlackMessage } from '../../src/features/channels/slack/slack-message.ts'
import { telegramKinds } from '../../src/features/channels/telegram/kinds.ts'
import { readMessage as readTelegram } from '../../src/features/channels/telegram/read-message.ts'
import type { TelegramMessage } from '../../src/features/channels/telegram/telegram-message.ts'
import { picker } from '../property/random.ts'
import { ChatDesk, type Received } from '../support/chat-desk.ts'
import type { Json } from '../support/chat-double.ts'
import { discordMessages } from '../support/chat-kinds/discord.ts'
import { type Made, madeMessages, type Platform } from '../support/chat-kinds/made.ts'
import { slackMessages } from '../support/chat-kinds/slack.ts'
import { tableOf } from '../support/chat-kinds/table.ts'
import { telegramMessages } from '../support/chat-kinds/telegram.ts'

interface Tried {
  readonly platform: Platform
  readonly kinds: Readonly<Record<string, MessageKind>>
  readonly read: (message: Json, number: number) => ChatMessage | undefined
}

const platforms: Readonly<Record<string, Tried>> = {
  telegram: {
    platform: telegramMessages,
    kinds: telegramKinds,
    read: (message, number) =>
      readTelegram(number, message as unknown as TelegramMessage, { id: 1, username: 'shop_bot' }),
  },
  discord: {
    platform: discordMessages,
    kinds: { ...discordKinds, ...discordTypes },
    read(message) {
      const place = { me: '900000000000000001', readsTexts: false, isDirect: true, parent: undefined, cursor: '0' }
      return readDiscord(message as unknown as DiscordMessage, place)
    },
  },
  slack: {
    platform: slackMessages,
    kinds: slackKinds,
    read(message) {
      const place = { me: { user: 'U0SHOPBOT', team: 'T0SHOP' }, channel: String(message['channel']), cursor: '0' }
      return readSlack(message as unknown as SlackMessage, place)
    },
  },
}

const seed = Number(process.env['IRIS_SEED'] ?? 7)

test.each(Object.keys(platforms))(
  'a hundred messages of %s of all kinds: each is read whole, or the chat says what is not read',
  async (name) => {
    const { platform, kinds, read } = platforms[name]!
    const messages = madeMessages(platform, 100, picker(seed))
    const received = messages.map(({ message }, number) => read(message, number))
    using desk = new ChatDesk(
      name,
      received.flatMap((one) => one?.senderId ?? []),
    )
    expect(received.map((one) => one === undefined)).toEqual(messages.map(({ isNotice }) => isNotice))
    const outcomes: object[] = []
    for (const [number, made] of messages.entries())
      if (!made.isNotice) outcomes.push(outcomeOf(made, await desk.receive(received[number]!)))
    expect(outcomes).toEqual(messages.filter(({ isNotice }) => !isNotice).map(wantedOf))
    // What the code quotes or refuses, the generator makes, but for the message of a thread, which Iris fetches.
    const refusable = Object.keys(kinds).filter(
      (kind) => ['refused', 'quoted'].includes(kinds[kind]!.becomes) && !kind.startsWith('thread'),
    )
    const made = new Set(messages.flatMap(({ kinds: made }) => made))
    expect(refusable.filter((kind) => !made.has(kind))).toEqual([])
  },
)

/** Whether it was answered, how the chat speaks of it, and what is neither with the agent nor named in the chat. */
function outcomeOf({ of, reads, says }: Made, { asked, files, said }: Received) {
  const about = said.join('\n')
  const [, speech = about] = /^(Not taken|Not read): .+$/.exec(about) ?? []
  const unsaid = says.filter((words) => !about.includes(words))
  const lost = asked === undefined ? [] : [...reads, ...says].filter((words) => !asked.includes(words))
  return { of, isTaken: asked !== undefined, speech, files, missing: [...unsaid, ...lost] }
}

function wantedOf({ of, isTaken, files, says }: Made): ReturnType<typeof outcomeOf> {
  const speech = !isTaken ? 'Not taken' : says.length > 0 ? 'Not read' : ''
  return { of, isTaken, speech, files: isTaken ? files : [], missing: [] }
}

test.each(Object.keys(platforms))('the guide has the table of %s that the code makes', (name) => {
  const page = readFileSync(new URL('../../docs/guide/chat-messages.md', import.meta.url), 'utf8')
  const [, section = ''] = page.split(new RegExp(`\n## ${name}\n`, 'i'))
  const table = tableOf(platforms[name]!.kinds)
  expect(/\| what a message carries [^]*?(?=\n\n|\n$)/.exec(section)?.[0]).toBe(table)
})
