import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { makeTables } from '../../platform/store/database.ts'
import { ChatFailure } from './chat-platform.ts'
import type { ChannelsParts } from './parts.ts'
import { Poster } from './poster.ts'
import { ChannelPosts } from './rows/channel-posts.ts'

const everyMs = 1000

test('an answer that is written is edited once a period at most, more slowly once the platform asks for it, and ends whole', async () => {
  const clock = new FakeClock()
  const database = new DatabaseSync(':memory:')
  makeTables(database)
  const posts = new ChannelPosts(database)
  const edits: { readonly at: number; readonly text: string }[] = []
  const typing: number[] = []
  let written = ''
  let refusals = 1
  const platform = {
    longestText: 4096,
    lengthOf: (text: string) => text.length,
    streamEveryMs: () => everyMs,
    post: async () => 'the post',
    typing: async () => void typing.push(clock.elapsed()),
    async edit(_chat: string, _id: string, text: string) {
      edits.push({ at: clock.elapsed(), text })
      if (edits.length >= 6 && refusals-- > 0) throw new ChatFailure('later', 'too fast', 3000)
    },
  }
  const turns = { writing: () => [{ text: written }] }
  const parts = { posts, turns, clock, log: { error: () => {}, warn: () => {} }, at: () => {} }
  const poster = new Poster('shop', platform as never, parts as unknown as ChannelsParts)
  posts.add({ source: 'shop', chat: 'telegram:1', turn: 'turn-1', text: null, replyTo: null, createdAt: 0 })
  poster.work('telegram:1')
  for (let step = 0; step < 200; step += 1) {
    written += 'word '
    await clock.advance(100)
  }
  const gaps = edits.slice(1).map(({ at }, index) => at - edits[index]!.at)
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(everyMs)
  expect(gaps.slice(5).length).toBeGreaterThan(2)
  expect(Math.min(...gaps.slice(5))).toBeGreaterThanOrEqual(3000)
  // A platform shows for some seconds that someone writes.
  expect(typing.length).toBeGreaterThan(2)

  posts.answer('turn-1', ['All of it.'], clock.now())
  poster.ended('turn-1')
  await clock.advance(1)
  expect(edits.at(-1)?.text).toBe('All of it.')
  expect(database.prepare('SELECT state FROM channel_posts').all()).toEqual([{ state: 'posted' }])
})

test('an answer whose last edit is refused is not posted once more if people read all of it already', async () => {
  const clock = new FakeClock()
  const database = new DatabaseSync(':memory:')
  makeTables(database)
  const posts = new ChannelPosts(database)
  const posted: string[] = []
  let isAllowed = true
  const platform = {
    longestText: 4096,
    lengthOf: (text: string) => text.length,
    streamEveryMs: () => everyMs,
    post: async ({ text }: { text: string }) => String(posted.push(text)),
    async edit() {
      if (!isAllowed) throw new ChatFailure('never', 'no right')
    },
  }
  const turns = { writing: () => [{ text: 'All of it.' }] }
  const parts = { posts, turns, clock, log: { error: () => {}, warn: () => {} }, at: () => {} }
  const poster = new Poster('shop', platform as never, parts as unknown as ChannelsParts)
  posts.add({ source: 'shop', chat: 'telegram:1', turn: 'turn-1', text: null, replyTo: null, createdAt: 0 })
  poster.work('telegram:1')
  await clock.advance(everyMs)
  isAllowed = false
  posts.answer('turn-1', ['All of it.'], clock.now())
  poster.ended('turn-1')
  await clock.advance(1)
  expect([posted, posts.counts('shop').posted]).toEqual([['Received.'], 1])
})

test('a first message that may or may not have been posted says nothing untrue, and the answer comes once', async () => {
  const clock = new FakeClock()
  const database = new DatabaseSync(':memory:')
  makeTables(database)
  const posts = new ChannelPosts(database)
  const shown = new Map<string, string>()
  const platform = {
    longestText: 4096,
    lengthOf: (text: string) => text.length,
    streamEveryMs: () => everyMs,
    // Telegram: it cannot look for what it has posted.
    postOnce: async () => undefined,
    async post({ text }: { text: string }) {
      const id = String(shown.size)
      shown.set(id, text)
      if (id === '0') throw new ChatFailure('unknown', '500')
      return id
    },
    edit: async (_chat: string, id: string, text: string) => void shown.set(id, text),
  }
  const turns = { writing: () => [] }
  const parts = { posts, turns, clock, log: { error: () => {}, warn: () => {} }, at: () => {} }
  const poster = new Poster('shop', platform as never, parts as unknown as ChannelsParts)
  posts.add({ source: 'shop', chat: 'telegram:1', turn: 'turn-1', text: null, replyTo: null, createdAt: 0 })
  poster.work('telegram:1')
  await clock.advance(5000)
  posts.answer('turn-1', ['The answer.'], clock.now())
  poster.ended('turn-1')
  await clock.advance(1)
  expect([...shown.values()]).toEqual(['Received.', 'The answer.'])
})
