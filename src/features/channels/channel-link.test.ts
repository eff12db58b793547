import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { ChannelLink, type ChannelLinkParts } from './channel-link.ts'
import type { ChatMessage } from './chat-message.ts'
import type { ChatClick, ChatInbox, ChatPlatform, OlderMessages } from './chat-platform.ts'
import { UnreadChats } from './unread-chats.ts'

/** A link to a platform that gives its inbox out, and listens until it is to end. */
function linkTo(
  channels: object,
  logged: string[],
  atEnd: (inbox: ChatInbox) => void = () => {},
  { clock = new FakeClock(), problem }: { clock?: FakeClock; problem?: () => object } = {},
) {
  const { promise: inbox, resolve } = Promise.withResolvers<ChatInbox>()
  const log = (message: string): void => void logged.push(message)
  const listen = async (given: ChatInbox, signal: AbortSignal): Promise<void> => {
    resolve(given)
    await new Promise<void>((end) => signal.addEventListener('abort', () => end()))
    atEnd(given)
  }
  const parts = {
    channel: { name: 'shop', groups: {} },
    changes: { moves: () => [] },
    clock,
    log: { error: log, warn: log },
    adapter: { listen, problem },
  }
  const around = { catchUp: () => {}, disconnect: () => {}, ...channels }
  return { inbox, link: new ChannelLink({ ...parts, channels: around } as unknown as ChannelLinkParts) }
}

test('an end that was wanted is no lost connection in the log', async () => {
  const logged: string[] = []
  const { link } = linkTo({}, logged, (given) => given.set({ state: 'retrying', why: 'the connection was lost' }))
  await link.end()
  expect([logged, link.state.state]).toEqual([[], 'connecting'])
})

test('a click that cannot be taken is answered in words, and logged', async () => {
  const logged: string[] = []
  const click = (): string => {
    throw new Error('disk I/O error')
  }
  const { inbox, link } = linkTo({ click }, logged)
  expect((await inbox).click({} as ChatClick)).toContain('Click again')
  expect(logged).toEqual([expect.stringContaining('disk I/O error')])
  await link.end()
})

/** A reading of three requests, each of which the platform refuses at first. */
test('a request of a reading is tried again by itself, so that a long one comes to its end', async () => {
  const [clock, logged, taken, passed] = [new FakeClock(), [] as string[], [] as string[], [] as string[]]
  const channels = {
    connect: () => '0',
    caughtUp: () => {},
    receive: async (_channel: object, { text }: ChatMessage) => void taken.push(text),
    passed: (_channel: object, cursor: string) => void passed.push(cursor),
  }
  const problem = () => ({ state: { state: 'retrying', why: 'wait' }, pauseMs: 5000 })
  const { inbox, link } = linkTo(channels, logged, () => {}, { clock, problem })
  const [calls, shown] = [[] as number[], [] as unknown[]]
  const chats = new UnreadChats<number>()
  for (const each of [1, 2, 3]) chats.add(`chat ${each}`, each)
  ;(await inbox).catchUp({
    async *read(reading) {
      for (const each of reading.each(chats)) {
        shown.push(link.state.catchingUp)
        yield await reading.tried(async () => {
          if (calls.push(each) % 2 === 1) throw new Error('rate limit')
          return { text: `message ${each}`, cursor: '0' } as ChatMessage
        })
      }
    },
    waits: () => true,
    cursorAfter: () => '7',
  })
  for (let each = 0; each < 4; each += 1) await clock.advance(5000)
  expect([...shown, link.state.catchingUp]).toEqual([...[0, 1, 2].map((read) => ({ read, of: 3 })), undefined])
  expect([calls, taken, passed]).toEqual([[1, 1, 2, 2, 3, 3], ['message 1', 'message 2', 'message 3'], ['7']])
  await link.end()
})

test('a connection that breaks again and again leaves one reading to do', async () => {
  const [logged, read, block] = [[] as string[], [] as string[], Promise.withResolvers<ChatMessage[]>()]
  const { inbox, link } = linkTo({ passed: () => {}, caughtUp: () => {} }, logged)
  const given = await inbox
  const begin = (name: string): void =>
    given.catchUp({
      async *read() {
        read.push(name)
        yield* await block.promise
      },
      waits: () => true,
      cursorAfter: () => '0',
    })
  begin('first')
  await setImmediate()
  for (let each = 0; each < 100; each += 1) begin(`again ${each}`)
  block.resolve([])
  await setImmediate()
  expect(read).toEqual(['first', 'again 0'])
  await link.end()
})

test('until older messages are all stored, no newer one moves the cursor: after a kill they are found again', async () => {
  const [logged, taken, passed] = [[] as string[], [] as string[], [] as string[]]
  const channels = {
    connect: () => '5',
    caughtUp: () => {},
    receive: async (_channel: object, { text, cursor }: ChatMessage) => void taken.push(`${text} ${cursor}`),
    passed: (_channel: object, cursor: string) => void passed.push(cursor),
  }
  const { inbox, link } = linkTo(channels, logged)
  const given = await inbox
  given.open({} as ChatPlatform)
  const live = (cursor: string) => given.take({ text: 'live', cursor } as ChatMessage)
  const reading = (read: OlderMessages['read']): void =>
    given.catchUp({ read, waits: () => false, cursorAfter: () => '7' })
  // A reading that fails leaves them to the next connection.
  reading(async function* () {
    yield await Promise.reject(new Error('no answer that can be read'))
  })
  await live('8')
  await live('9')
  expect([given.cursor(), taken, passed]).toEqual(['5', ['live 5', 'live 5'], []])
  reading(async function* () {
    yield { text: 'older', cursor: '5' } as ChatMessage
  })
  await setImmediate()
  await live('10')
  expect([given.cursor(), taken.slice(2), passed]).toEqual(['10', ['older 5', 'live 10'], ['7']])
  expect(logged).toEqual([expect.stringContaining('was not read to its end')])
  await link.end()
})

test('a message that comes while its chat is read is taken once it is, before other chats are read', async () => {
  const [taken, block] = [[] as string[], Promise.withResolvers<void>()]
  const receive = async (_channel: object, { text }: ChatMessage) => void taken.push(text)
  const { inbox, link } = linkTo({ receive, passed: () => {}, caughtUp: () => {} }, [])
  const [given, chats] = [await inbox, new UnreadChats<string>()]
  for (const each of ['A', 'B']) chats.add(each, each)
  given.catchUp({
    async *read(reading) {
      for (const each of reading.each(chats)) {
        if (each === 'B') await block.promise
        void given.take({ channelId: each, text: `${each} live` } as ChatMessage)
        yield { text: `${each} older` } as ChatMessage
      }
    },
    waits: ({ channelId }) => chats.want(channelId),
    cursorAfter: () => '7',
  })
  await setImmediate()
  expect(taken).toEqual(['A older', 'A live'])
  block.resolve()
  await setImmediate()
  expect(taken.slice(2)).toEqual(['B older', 'B live'])
  await link.end()
})
