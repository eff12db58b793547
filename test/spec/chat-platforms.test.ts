import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ModelRequest, Script } from '../../src/app/demo/script.ts'
import { tinyPng } from '../support/attachable.ts'
import { callTool } from '../support/call-tool.ts'
import { DiscordDouble } from '../support/discord-double.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { SlackDouble } from '../support/slack-double.ts'

const minute = 60_000

interface Block {
  readonly type: string
  readonly source?: { readonly data: string }
}

/** The pictures of a request, in base64. */
function shownPictures({ body }: Pick<ModelRequest, 'body'>): string[] {
  const blocks = body.messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content)) as Block[]
  return blocks.flatMap(({ type, source }) => (type === 'image' && source !== undefined ? [source.data] : []))
}
const long = Array.from({ length: 300 }, (_, line) => `line ${line} of <the> answer`).join('\n')

const chatTools = [
  { name: 'mcp__iris__chat_reply', input: { text: 'I am looking.' } },
  { name: 'mcp__iris__chat_react', input: { reaction: '👀' } },
  { name: 'mcp__iris__chat_history', input: { limit: 5 } },
]

const script: Script = ({ conversation: { lastUserText, step, toolResults } }) => {
  const [, said = ''] = /<iris-message [^>]*>\n([\s\S]*)\n<\/iris-message>/.exec(lastUserText) ?? []
  if (said === 'tools' && step < chatTools.length) return { toolUses: [chatTools[step]!] }
  if (said === 'tools') return { text: toolResults.at(-1)!.text }
  return { text: said === 'long' ? long : `You said: ${said}` }
}

const platforms = {
  discord: {
    start: (now: () => number) => DiscordDouble.start(now, ['600000000000000001']),
    ada: '100000000000000042',
    bob: '100000000000000043',
    stranger: '100000000000000099',
    group: '600000000000000001',
    direct: (person: string) => DiscordDouble.direct(person),
    chatOf: (chat: string) => `discord:${chat}`,
    longest: 2000,
    hasReplies: true,
  },
  slack: {
    start: (now: () => number) => SlackDouble.start(now, ['C0SHOP']),
    ada: 'U0ADA42',
    bob: 'U0BOB43',
    stranger: 'U0EVE99',
    group: 'C0SHOP',
    direct: (person: string) => SlackDouble.direct(person),
    chatOf: (chat: string) => `slack:T0SHOP/${chat}`,
    longest: 4000,
    hasReplies: false,
  },
}

describe.each(['discord', 'slack'] as const)('%s', (name) => {
  const { start, ada, bob, stranger, group, direct, chatOf, longest, hasReplies } = platforms[name]
  let clock: JumpingClock
  let chat: DiscordDouble | SlackDouble
  let iris: TestIris

  const join_ = (more: object = {}): void => {
    const { entry, files } = chat.config()
    for (const [file, token] of Object.entries(files))
      writeFileSync(join(iris.world.home, file), token, { mode: 0o600 })
    const shop = { ...entry, team: 'backend', allow: [ada, bob], groups: { [group]: 'mention' }, ...more }
    iris.world.writeConfig({ channels: { shop } })
  }
  const shown = async () =>
    JSON.stringify(await callTool({ port: iris.port, token: iris.world.owner() }, 'list_channels'))
  const isConnected = () => eventually(async () => (await shown()).includes('"connected"'), 'the bot is connected')
  const posted = (place: string, text: string | RegExp) => chat.posted(place, text)
  const turns = (): number => Number(iris.rows('SELECT COUNT(*) AS turns FROM turns')[0]!['turns'])

  beforeAll(async () => {
    clock = new JumpingClock()
    chat = await start(() => clock.now())
    iris = await TestIris.start({ claude: 'fake', script, clock, teams: { backend: {} } })
    join_()
    await iris.event('config-reloaded')
    await isConnected()
  })
  afterAll(async () => {
    await iris[Symbol.asyncDispose]()
    await chat[Symbol.asyncDispose]()
  })
  /** Forgets the posts, once Iris has made its last edit of them. */
  const clear = async (): Promise<void> => {
    const open = `SELECT 1 FROM channel_posts WHERE state IN ('waiting', 'sending', 'reserved')`
    await eventually(() => iris.rows(open).length === 0, 'everything is posted')
    chat.posts.length = 0
  }
  beforeEach(clear)

  test('a message is answered once, in a conversation of its chat with the role of the channel', async () => {
    const id = chat.say('hello & <goodbye>', { from: ada })
    await posted(direct(ada), 'You said: hello & <goodbye>')
    expect(chat.posts).toMatchObject([hasReplies ? { replyTo: id } : {}])
    // Edits while it is written may come between.
    expect(chat.posts[0]!.before[0]).toBe('Received.')
    expect(iris.rows('SELECT from_team, thread FROM team_sessions')).toEqual([
      { from_team: chatOf(direct(ada)), thread: 'role:chat_bot' },
    ])
  })

  test('a long answer comes in posts that the platform takes, in order', async () => {
    chat.say('long', { from: ada })
    await posted(direct(ada), /line 299 of <the> answer$/)
    expect(chat.posts.length).toBeGreaterThan(1)
    expect(chat.posts.every(({ text }) => text.length <= longest)).toBe(true)
    expect(chat.textsIn(direct(ada)).join('\n')).toBe(long)
  })

  test('a message that is delivered again is not asked again', async () => {
    const before = turns()
    chat.say('once', { from: ada })
    await posted(direct(ada), 'You said: once')
    chat.repeat()
    chat.say('after', { from: ada })
    await posted(direct(ada), 'You said: after')
    expect(turns()).toBe(before + 2)
    expect(chat.textsIn(direct(ada))).toEqual(['You said: once', 'You said: after'])
  })

  test.each(['post', 'edit'] as const)('faults of a %s lead to one post all the same', async (action) => {
    for (const fault of ['429', 'drop', '500', 'refuse'] as const) {
      await clear()
      chat.faults.push({ action, fault })
      chat.say(`despite ${fault}`, { from: ada })
      await chat.until(() => chat.faults.length === 0, 'the fault happened')
      await clock.jump(5000)
      await posted(direct(ada), `You said: despite ${fault}`)
      expect(chat.textsIn(direct(ada))).toEqual([`You said: despite ${fault}`])
    }
  })

  test('what Iris says by itself is posted once, although nobody knows whether it arrived', async () => {
    chat.faults.push({ action: 'post', fault: 'drop' })
    chat.say('/who', { from: ada })
    await chat.until(() => chat.faults.length === 0, 'the fault happened')
    await clock.jump(5000)
    chat.say('and now', { from: ada })
    await posted(direct(ada), 'You said: and now')
    expect(chat.textsIn(direct(ada))).toEqual(['backend answers here, with the role "chat_bot".', 'You said: and now'])
    expect(iris.rows(`SELECT 1 FROM channel_posts WHERE state = 'in_doubt'`)).toEqual([])
  })

  test('a lost connection loses no message, whether the platform replays it or not', async () => {
    for (const isForgotten of [false, true]) {
      const before = turns()
      chat.lose(isForgotten)
      chat.say(`missed ${isForgotten}`, { from: ada })
      await eventually(async () => {
        await clock.jump(1000)
        return chat.isConnected
      }, 'it is connected again')
      await posted(direct(ada), `You said: missed ${isForgotten}`)
      expect(turns()).toBe(before + 1)
      const begun = isForgotten ? 'identify' : 'resume'
      expect(chat instanceof DiscordDouble ? chat.begun.at(-1) : begun).toBe(begun)
    }
  })

  test('an agent posts, reacts and reads in the chat that asks it', async () => {
    const id = chat.say('tools', { from: ada })
    await posted(direct(ada), /"isYou":false,"text":"tools"/)
    expect(chat.textsIn(direct(ada))).toContain('I am looking.')
    expect(chat.reactions).toEqual([`${id} ${name === 'slack' ? 'eyes' : '👀'}`])
  })

  test('the model sees a picture that somebody sends; other files are refused in words', async () => {
    chat.say('what is this', { from: ada, files: [{ name: 'shot.png', content: tinyPng }] })
    await posted(direct(ada), /^You said:/)
    const [row] = iris.rows(`SELECT attachments FROM turns WHERE message = 'what is this'`)
    expect(JSON.parse(String(row!['attachments']))).toMatchObject([{ name: 'shot.png', kind: 'image' }])
    expect(shownPictures(iris.world.model.requests.recent.at(-1)!)).toEqual([tinyPng.toString('base64')])
    if (name === 'discord') await chat.until(() => chat.typing.includes(direct(ada)), 'it shows that it writes')

    const before = turns()
    chat.say('', { from: bob, files: [{ name: 'note.txt', content: Buffer.from('some words') }] })
    await posted(direct(bob), 'Not taken: only pictures and PDF files are read here.')
    if (chat instanceof SlackDouble) {
      await clock.jump(minute)
      const { scopes } = chat
      chat.scopes = []
      chat.say('', { from: bob, files: [{ name: 'shot.png', content: tinyPng }] })
      await posted(direct(bob), 'Not taken: a file of your message could not be fetched. Send it again.')
      chat.scopes = scopes
    }
    expect(turns()).toBe(before)
  })

  test('strangers get a code, groups need a mention, bots and what is not listed get nothing', async () => {
    const before = turns()
    chat.say('let me in', { from: stranger })
    chat.say('hello?', { from: stranger })
    chat.say('not meant', { from: stranger, chat: group })
    chat.say('a bot', { from: bob, chat: group, isBot: true, mentions: true })
    chat.say('elsewhere', { from: ada, chat: name === 'slack' ? 'C0OTHER' : '600000000000000009', mentions: true })
    chat.say('meant', { from: stranger, chat: group, mentions: true })
    await posted(group, 'You said: meant')
    await posted(direct(stranger), /iris channels pair shop [A-Z2-9]{6}/)
    expect(turns()).toBe(before + 1)
    expect(chat.posts).toHaveLength(2)
  })

  test('an edit asks nothing, and deleting a message that was answered posts nothing', async () => {
    const before = turns()
    const mention = name === 'slack' ? '<@U0SHOPBOT>' : '<@900000000000000001>'
    const unmeant = chat.say('not meant', { from: stranger, chat: group })
    chat.edit(unmeant, `${mention} now it is`)
    const deleted = chat.say('soon gone', { from: ada })
    await posted(direct(ada), 'You said: soon gone')
    chat.say('as it was', { from: ada })
    await posted(direct(ada), 'You said: as it was')
    chat.remove(deleted)
    chat.say('after', { from: stranger, chat: group, mentions: true })
    await posted(group, 'You said: after')
    expect(turns()).toBe(before + 3)
    expect(chat.textsIn(group)).toEqual(['You said: after'])
    expect(chat.textsIn(direct(ada))).toEqual(['You said: soon gone', 'You said: as it was'])
  })

  test('a thread of a listed channel has a conversation of its own, and is answered there', async () => {
    const thread = name === 'slack' ? chat.say('top', { from: ada, chat: group }) : '650000000000000001'
    if (chat instanceof DiscordDouble) chat.openThread(thread, group)
    chat.say('in a thread', { from: ada, chat: group, thread, mentions: true })
    const place = name === 'slack' ? group : thread
    // In Slack, the message that the thread begins with came before.
    const { text } = await posted(place, /^You said: in a thread/)
    expect(text.includes('\n> top\n')).toBe(name === 'slack')
    const askers = iris.rows('SELECT from_team FROM team_sessions').map((row) => row['from_team'])
    expect(askers).toContain(`${chatOf(group)}/${thread}`)
    expect(chat.posts.map(({ replyTo }) => replyTo !== undefined)).toEqual([true])
  })

  test('a second connection for the token is refused with the pid that has it', async () => {
    const { entry } = chat.config()
    const shop = { ...entry, team: 'backend', allow: [ada, bob], groups: { [group]: 'mention' } }
    iris.world.writeConfig({ channels: { shop, again: { ...entry, team: 'backend', allow: [bob] } } })
    await eventually(async () => (await shown()).includes(`the pid ${process.pid} has a connection`), 'it is refused')
    expect(await shown()).toContain('"connected"')
    join_()
    await eventually(async () => !(await shown()).includes('"again"'), 'there is one channel again')
  })

  test.each([name].filter((each) => each === 'slack'))(
    'a mention in an old thread that Iris has never seen is answered after a lost connection',
    async () => {
      const parent = chat.say('long before', { from: stranger, chat: group, at: clock.now() - 180 * minute })
      chat.lose(true)
      chat.say('what of this?', { from: stranger, chat: group, thread: parent, mentions: true })
      // Slack forgets this envelope, too.
      chat.lose(true)
      await eventually(async () => {
        await clock.jump(1000)
        return chat.isConnected
      }, 'it is connected again')
      await posted(group, /^You said: what of this\?\n[^]*\n> long before\n/)
      expect(chat.textsIn(group)).toHaveLength(1)
    },
  )

  test('after a stop, what came meanwhile is answered within bounds, and the rest is announced', async () => {
    await iris.daemon.stop(0)
    join_({ catchUpAge: 10 * minute })
    await clock.jump(30 * minute)
    chat.say('long ago', { from: ada, at: clock.now() - 20 * minute })
    chat.say('lately', { from: ada, at: clock.now() - 5 * minute })
    await iris.restart()
    await posted(direct(ada), /You said: lately$/)
    await posted(direct(ada), /^1 older message was not answered/)
    expect(iris.rows(`SELECT text FROM channel_messages WHERE state = 'skipped'`)).toEqual([{ text: 'long ago' }])
  })

  test('a wrong token is a state that is shown, and no token is told to anybody', async () => {
    writeFileSync(join(iris.world.home, 'wrong'), 'wrong-token-of-nobody', { mode: 0o600 })
    join_({ tokenFile: 'wrong' })
    await eventually(async () => (await shown()).includes('does not know'), 'it is refused')
    expect(await shown()).not.toContain('wrong-token-of-nobody')
  })
})
