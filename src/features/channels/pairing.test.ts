import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { ChannelConfig } from '../../platform/config/config.ts'
import { makeTables } from '../../platform/store/database.ts'
import type { Store } from '../../platform/store/store.ts'
import type { ChatMessage } from './chat-message.ts'
import { Pairing } from './pairing.ts'
import type { ChannelsParts } from './parts.ts'
import { ChannelPeople } from './rows/channel-people.ts'
import { ChannelPosts } from './rows/channel-posts.ts'
import { ChannelMessages } from './rows/channels.ts'

const hour = 3_600_000

test('a code is valid for an hour, three are open at most, and a place comes free when one has run out', async () => {
  const clock = new FakeClock()
  const database = new DatabaseSync(':memory:')
  makeTables(database)
  const store = database as unknown as Store
  const [people, posts] = [new ChannelPeople(store), new ChannelPosts(store)]
  let codes = 0
  const parts = { clock, people, posts, messages: new ChannelMessages(store), log: { info: () => {} } }
  const random = (length: number) => new Uint8Array(length).fill(codes++)
  const pairing = new Pairing({ ...parts, random } as unknown as ChannelsParts)
  const channel = { name: 'shop', platform: 'telegram' } as ChannelConfig
  const writes = (person: string): Promise<void> => {
    const message = { senderId: person, senderName: person, channelId: person, messageId: '1' } as ChatMessage
    return pairing.offer(channel, message, () => {})
  }
  const shown = (): string[] =>
    database
      .prepare('SELECT chat, text FROM channel_posts ORDER BY id')
      .all()
      .map(({ chat, text }) => `${String(chat)} ${/shop (\w{6})/.exec(String(text))?.[1]}`)

  for (const person of ['1', '2', '3', '4', '1']) await writes(person)
  expect(shown()).toEqual(['telegram:1 AAAAAA', 'telegram:2 BBBBBB', 'telegram:3 CCCCCC'])
  await clock.advance(hour - 1)
  expect(pairing.admit('shop', 'bbbbbb')).toMatchObject({ sender: '2' })
  expect(() => pairing.admit('shop', 'BBBBBB')).toThrow('The bot did not give anybody this code')
  await clock.advance(2)
  expect(() => pairing.admit('shop', 'AAAAAA')).toThrow('more than an hour old')
  await writes('4')
  await writes('1')
  expect(shown().slice(-2)).toEqual(['telegram:4 DDDDDD', 'telegram:1 EEEEEE'])
  expect(people.find('shop', '2')).toMatchObject({ code: null })
  expect(pairing.admit('shop', 'EEEEEE')).toMatchObject({ sender: '1' })
})
