import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import type { ChatInbox, OlderMessages } from '../../src/features/channels/chat-platform.ts'
import { discordAdapter } from '../../src/features/channels/discord/discord-adapter.ts'
import { idAt, timeOf } from '../../src/features/channels/discord/read-message.ts'
import { stampAt } from '../../src/features/channels/slack/read-message.ts'
import { slackAdapter } from '../../src/features/channels/slack/slack-adapter.ts'
import type { UnreadChats } from '../../src/features/channels/unread-chats.ts'
import { BotApi } from '../support/bot-api.ts'
import { callTool } from '../support/call-tool.ts'
import type { Json, Saying } from '../support/chat-double.ts'
import { ChatPlace, chatPlatforms } from '../support/chat-places.ts'
import { DiscordDouble } from '../support/discord-double.ts'
import { eventually } from '../support/eventually.ts'
import { fakeClaude } from '../support/fake-claude.ts'
import { TestIris } from '../support/iris.ts'
import { runCommand } from '../support/run-command.ts'
import { SlackDouble } from '../support/slack-double.ts'

const minute = 60_000
const answers = { script: { rules: [{ steps: [{ text: 'The answer.' }] }] } }

async function withChannel(chat: DiscordDouble | SlackDouble | BotApi, more: object) {
  const fake = fakeClaude(answers)
  const iris = await TestIris.start({ teams: { backend: { claudePath: fake.claudePath, env: fake.env } } })
  const of =
    chat instanceof BotApi
      ? {
          entry: { platform: 'telegram', tokenFile: 'telegram-token', apiRoot: chat.url },
          files: { 'telegram-token': chat.token },
        }
      : chat.config()
  for (const [file, token] of Object.entries(of.files))
    writeFileSync(join(iris.world.home, file), token, { mode: 0o600 })
  iris.world.writeConfig({ channels: { shop: { ...of.entry, team: 'backend', ...more } } })
  const channels = async () => callTool({ port: iris.port, token: iris.world.owner() }, 'list_channels')
  await eventually(async () => JSON.stringify(await channels()).includes('"connected"'), 'the bot is connected')
  const end = async (): Promise<void> => {
    await iris[Symbol.asyncDispose]()
    fake[Symbol.dispose]()
  }
  return { iris, channels, [Symbol.asyncDispose]: end }
}

test('Discord gives five pages of a history at once: a longer one is read to its end', async () => {
  const group = '600000000000000001'
  await using chat = await DiscordDouble.start(Date.now, [group])
  await using _shop = await withChannel(chat, { groups: { [group]: 'mention' } })
  chat.lose(true)
  for (let each = 0; each < 520; each += 1) chat.say(`talk ${each}`, { chat: group })
  chat.say('May I?', { chat: group, mentions: true })
  await chat.shows(group, 'The answer.')
  chat.say('And now?', { chat: group, mentions: true })
  await chat.shows(group, 'The answer.', 'The answer.')
})

test('Slack gives few histories at once: those of all people are read', async () => {
  const [ada, bob, cleo] = ['U0ADA42', 'U0BOB43', 'U0CLEO44']
  await using chat = await SlackDouble.start()
  chat.historyPerSecond = 2
  await using _shop = await withChannel(chat, { allow: [ada, bob, cleo] })
  chat.lose(true)
  chat.say('May I?', { from: cleo })
  // Slack does not deliver it any more.
  chat.lose(true)
  await chat.shows(SlackDouble.direct(cleo), 'The answer.')
})

/** A channel of Slack with four people, of whom Ada, Bob and Cleo wrote, Cleo last. */
async function fourPeople() {
  const [ada, bob, cleo, dora] = ['U0ADA42', 'U0BOB43', 'U0CLEO44', 'U0DORA45']
  const group = 'C0SHOP'
  const chat = await SlackDouble.start(Date.now, [group])
  const shop = await withChannel(chat, { allow: [ada, bob, cleo, dora], groups: { [group]: 'mention' } })
  const link = async () =>
    ((await shop.channels()) as { channels: { link: { catchingUp?: { read: number } } }[] }).channels[0]!.link
  /** Waits until everything is read. */
  const caughtUp = () =>
    eventually(async () => isDeepStrictEqual(await link(), { state: 'connected', as: 'shop_bot' }), 'all is read')
  await caughtUp()
  const answered = async (from: string, saying: Saying = {}): Promise<string> => {
    const before = chat.posts.length
    const id = chat.say('May I?', { from, ...saying })
    const added = () => chat.posts.slice(before).map(({ text }) => text)
    await chat.until(() => isDeepStrictEqual(added(), ['The answer.']), 'it is answered once')
    return id
  }
  const thread = await answered(ada, { chat: group, mentions: true })
  await answered(bob)
  await answered(ada, { chat: group, mentions: true, thread })
  await answered(cleo)
  /** Another daemon: it knows only what is in the store. */
  const restart = async (pages: number): Promise<void> => {
    chat.read.length = 0
    chat.pagesLeft = pages
    await shop.iris.restart()
    await eventually(async () => (await link()).catchingUp?.read === pages + 1, `${pages + 1} chats are read`)
  }
  const end = async (): Promise<void> => {
    await shop[Symbol.asyncDispose]()
    await chat[Symbol.asyncDispose]()
  }
  return {
    ada,
    bob,
    cleo,
    dora,
    group,
    thread,
    chat,
    shop,
    link,
    caughtUp,
    answered,
    restart,
    [Symbol.asyncDispose]: end,
  }
}

const history = (person: string): string => `history ${SlackDouble.direct(person)}`

test('Slack: where people wrote last is read first, and people see how far the reading is', async () => {
  await using four = await fourPeople()
  const { chat, shop, link } = four
  await four.restart(2)
  expect(await link()).toEqual({ state: 'connected', as: 'shop_bot', catchingUp: { read: 3, of: 6 } })
  const listed = await runCommand(shop.iris.world, ['channels', 'list'])
  expect(listed.stdout).toContain('connected, catching up: 3 of 6 chats read')
  chat.pagesLeft = Infinity
  await four.caughtUp()
  // Iris knows the direct chats of people who wrote there.
  expect(chat.read).toEqual([
    history(four.cleo),
    `thread ${four.thread}`,
    history(four.bob),
    `history ${four.group}`,
    ...[four.ada, four.dora].flatMap((person) => [`open ${SlackDouble.direct(person)}`, history(person)]),
  ])
})

test('Slack: a message waits for the older ones of its chat alone, which are read next', async () => {
  await using four = await fourPeople()
  const { chat } = four
  // Slack does not deliver it any more.
  chat.lose(false)
  chat.say('Before it.', { from: four.dora })
  chat.lose(true)
  await four.restart(2)
  // It is read.
  await four.answered(four.cleo)
  // A stranger has no history.
  chat.say('Let me in.', { from: 'U0EVE99' })
  await chat.posted(SlackDouble.direct('U0EVE99'), /code/)
  expect(chat.textsIn(SlackDouble.direct('U0EVE99'))).toHaveLength(1)
  chat.say('After it.', { from: four.dora })
  // Enough for the channel, whose turn it was, and for her chat.
  chat.pagesLeft = 2
  await chat.shows(SlackDouble.direct(four.dora), 'The answer.', 'The answer.')
  expect(await four.link()).toMatchObject({ catchingUp: { read: 5, of: 6 } })
  chat.pagesLeft = Infinity
  await four.caughtUp()
  const read = chat.read.filter((one) => one.startsWith('history'))
  expect(read).toEqual([
    ...[four.cleo, four.bob].map(history),
    `history ${four.group}`,
    history(four.dora),
    history(four.ada),
  ])
})

const adapters = {
  discord: {
    groups: ['600000000000000001', '600000000000000002'],
    start: (now: () => number, groups: readonly string[]) => DiscordDouble.start(now, groups),
    adapterOf: ({ token, url }: { readonly token: string; readonly url: string }, rest: Common) =>
      discordAdapter({ ...rest, token, apiRoot: url, readsAll: false }),
    cursorAt: idAt,
    timeAt: timeOf,
  },
  slack: {
    groups: ['C0SHOP', 'C0TALK'],
    start: (now: () => number, groups: readonly string[]) => SlackDouble.start(now, groups),
    adapterOf: (double: { readonly token: string; readonly url: string }, rest: Common) =>
      slackAdapter({ ...rest, token: double.token, appToken: (double as SlackDouble).appToken, apiRoot: double.url }),
    cursorAt: stampAt,
    timeAt: (stamp: string) => Number(stamp) * 1000,
  },
}
interface Common {
  readonly groups: readonly string[]
  readonly now: () => number
}

/** A long reading, in which the connection breaks: what came meanwhile in chats that were read first is read next time. */
test.each(['discord', 'slack'] as const)(
  '%s: what is written during a reading does not count as read',
  async (name) => {
    const { groups, start, adapterOf, cursorAt, timeAt } = adapters[name]
    let now = Date.now()
    await using chat = await start(() => now, groups)
    const began = Promise.withResolvers<OlderMessages>()
    const [over, cursor] = [new AbortController(), cursorAt(now - minute)]
    const inbox: Partial<ChatInbox> = {
      open: () => {},
      set: () => {},
      passed: () => {},
      take: async () => true,
      cursor: () => cursor,
      people: () => [],
      writers: () => [],
      readable: (read) => read(),
      catchUp: (older) => began.resolve(older),
    }
    const [first = '', second = ''] = groups
    chat.say('before', { chat: first, mentions: true })
    const listening = adapterOf(chat, { groups, now: () => now }).listen(inbox as ChatInbox, over.signal)
    const older = await began.promise
    const reading = { tried: <T>(step: () => Promise<T>) => step(), each: <T>(chats: UnreadChats<T>) => chats }
    const found: string[] = []
    for await (const { text } of older.read(reading)) {
      if (found.push(text) > 1) continue
      now += 10 * minute
      for (const group of [first, second]) chat.say(`during it in ${group}`, { chat: group, mentions: true })
    }
    expect(found).toEqual(['before', `during it in ${second}`])
    expect(timeAt(older.cursorAfter())).toBeLessThan(now - 9 * minute)
    over.abort()
    await listening
  },
)

const ada = { telegram: 42, discord: '100000000000000042', slack: 'U0ADA42' }
const huge = 'x'.repeat(2 ** 20)
const odd: Record<string, (chat: ChatPlace['double']) => void> = {
  telegram: (chat) => {
    const from = { id: ada.telegram, is_bot: false, first_name: 'Ada' }
    const [message, update] = [{ chat: { id: 42, type: 'private' }, from, date: 0 }, 2000]
    const odd = [{}, { from }, { chat: null }, { ...message, message_id: {}, photo: 'none' }]
    const updates = odd.map((one, each) => ({ update_id: update + each, message: one }))
    const clicks = [
      { id: 'q', data: 'iris:x:allow', message: {} },
      { id: 'q', data: 'iris:x:allow', message: { chat: {} } },
    ]
    const others = clicks.map((one, each) => ({ update_id: update + 10 + each, callback_query: one }))
    const name = { ...message, message_id: 5, text: 'hello', from: { ...from, id: 77, first_name: huge } }
    ;(chat as BotApi).numberFrom(update + 100)
    ;(chat as BotApi).repeat([...updates, ...others, { update_id: update + 20, message: name }])
  },
  discord: (chat) => {
    const author = { id: ada.discord, username: 'ada', discriminator: '0' }
    const id = idAt(Date.now())
    const said = { id, channel_id: DiscordDouble.direct(ada.discord), type: 0, author, content: 'odd' }
    const double = chat as DiscordDouble
    double.raw('MESSAGE_CREATE', said)
    double.raw('MESSAGE_CREATE', { ...said, author: { ...author, id: '88', username: huge }, mentions: [] })
    double.raw('INTERACTION_CREATE', { id, type: 3, token: 't', data: { custom_id: 'iris:x:allow' }, channel_id: '1' })
    double.raw('MESSAGE_DELETE_BULK', { ids: 5, channel_id: '1' })
    for (const event of ['MESSAGE_CREATE', 'MESSAGE_UPDATE', 'MESSAGE_DELETE', 'INTERACTION_CREATE', 'THREAD_CREATE'])
      double.raw(event, null as unknown as Json)
  },
  slack: (chat) => {
    const double = chat as SlackDouble
    const event = { type: 'message', channel: SlackDouble.direct(ada.slack), user: ada.slack, text: 'odd' }
    for (const odd of [{ ...event, ts: '1.1', files: 'none' }, { type: 'message' }, { ...event, text: 7, ts: '1.2' }])
      double.raw('events_api', { type: 'event_callback', event: odd })
    double.raw('events_api', {})
    double.raw('interactive', {
      type: 'block_actions',
      actions: [{ value: 'iris:x:allow' }],
      user: null,
      container: null,
    })
    double.raw('events_api', { event: { ...event, user: 'U0EVE99', channel: 'D0EVE99', ts: '1.3', text: huge } })
  },
}

test.each(chatPlatforms)('%s: updates that are not as described, and huge ones, stop nothing', async (name) => {
  await using place = await ChatPlace.start(name)
  await using _shop = await withChannel(place.double, { allow: [String(ada[name])] })
  odd[name]!(place.double)
  place.say('hello')
  await place.posted((text) => text === 'The answer.', 'it is answered')
})

test('after a week without updates Telegram begins at any number, also for who was refused before', async () => {
  await using api = await BotApi.start()
  await using shop = await withChannel(api, { allow: ['42'] })
  api.say('')
  await api.until(() => api.posts.length === 1, 'it is refused')
  shop.iris.change('UPDATE channel_refusals SET refused_at = refused_at - 7 * 86400000')
  api.numberFrom(5)
  api.say('hello')
  await api.until(() => api.textsIn(42).at(-1) === 'The answer.', 'it is answered')
})

test.each([
  ['without users:read', [], 'U0EVE99'],
  ['with users:read', ['users:read'], 'Eve'],
])('Slack %s: what the owner sees of a stranger', async (_what, more, shown) => {
  await using chat = await SlackDouble.start()
  chat.scopes.push(...more)
  await using shop = await withChannel(chat, { allow: [] })
  chat.say('May I?', { from: 'U0EVE99' })
  await chat.until(() => chat.posts.length === 1, 'the stranger gets a code')
  const pending = { sender: 'U0EVE99', name: shown }
  expect(await shop.channels()).toMatchObject({ channels: [{ pending: [pending] }] })
})
