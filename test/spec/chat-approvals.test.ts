import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { BotApi } from '../support/bot-api.ts'
import { ask } from '../support/call-tool.ts'
import { DiscordDouble } from '../support/discord-double.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { answerPermission } from '../support/owner.ts'
import { SlackDouble } from '../support/slack-double.ts'
import { firstIn } from '../support/tier.ts'

/** Shorter than the silence after which a process is asked whether it lives. */
const permissionTimeout = 100_000

/** Runs the message as a command and repeats what came of it. */
const runs: Script = ({ conversation: { lastUserText, step, toolResults } }) => {
  const [, command = ''] = /<iris-message [^>]*>\n([\s\S]*)\n<\/iris-message>/.exec(lastUserText) ?? []
  if (step === 0) return { toolUses: [{ name: 'Bash', input: { command, description: 'a step' } }] }
  return { text: toolResults.at(-1)?.isError ? `refused: ${toolResults.at(-1)?.text}` : 'done' }
}

interface Post {
  readonly chat: string
  readonly id: string | number
  readonly text: string
  readonly before: readonly string[]
  readonly buttons: readonly string[]
}

/** One platform as the tests below use it. Ada approves in the channel, and Bob what is forwarded to the group. */
interface Platform {
  readonly ada: string
  readonly bob: string
  readonly group: string
  readonly entry: object
  readonly files: Readonly<Record<string, string>>
  readonly posts: Post[]
  readonly shown: string[]
  say(text: string): void
  click(post: Pick<Post, 'chat' | 'id'>, value: string, from: string): void
  readonly double: BotApi | DiscordDouble | SlackDouble
}

const starts: Record<string, (now: () => number) => Promise<Platform>> = {
  async telegram(now) {
    const double = await BotApi.start(now)
    // The bot is in that group.
    double.say('hello', { chat: -100, isGroup: true })
    return {
      double,
      ada: '42',
      bob: '43',
      group: '-100',
      posts: double.posts,
      shown: double.shown,
      entry: { platform: 'telegram', tokenFile: 'telegram-token', apiRoot: double.url },
      files: { 'telegram-token': double.token },
      say: (text) => double.say(text),
      click: ({ chat, id }, value, from) => double.click({ chat, id: Number(id) }, value, Number(from)),
    }
  },
  async discord(now) {
    const [ada, bob, group] = ['100000000000000042', '100000000000000043', '600000000000000001']
    const double = await DiscordDouble.start(now, [group])
    return {
      double,
      ada,
      bob,
      group,
      posts: double.posts,
      shown: double.shown,
      ...double.config(),
      say: (text) => double.say(text, { from: ada }),
      click: ({ chat, id }, value, from) => double.click({ chat, id: String(id) }, value, from),
    }
  },
  async slack(now) {
    const [ada, bob, group] = ['U0ADA42', 'U0BOB43', 'C0SHOP']
    const double = await SlackDouble.start(now, [group])
    return {
      double,
      ada,
      bob,
      group,
      posts: double.posts,
      shown: double.shown,
      ...double.config(),
      say: (text) => double.say(text, { from: ada }),
      click: ({ chat, id }, value, from) => double.click({ chat, id: String(id) }, value, from),
    }
  },
}

describe.each(firstIn(Object.keys(starts)))('a permission question in %s', (name) => {
  let clock: JumpingClock
  let chat: Platform
  let iris: TestIris
  beforeAll(async () => {
    clock = new JumpingClock()
    chat = await starts[name]!(() => clock.now())
    const { ada, bob, group, entry, files } = chat
    const settings = { permissionTimeout }
    iris = await TestIris.start({
      claude: 'either',
      script: runs,
      clock,
      settings,
      teams: { frontend: {}, backend: {}, shop: {} },
    })
    for (const [file, token] of Object.entries(files))
      writeFileSync(join(iris.world.home, file), token, { mode: 0o600 })
    const forwardTo = { channel: 'talk', chat: group, approvers: [bob] }
    const talk = { ...entry, team: 'backend', role: 'os_agent', allow: [ada, bob], approvers: [ada] }
    iris.world.writeConfig({
      teams: { frontend: {}, backend: { grantPermission: 'ask' }, shop: { grantPermission: 'forward', forwardTo } },
      channels: { talk },
    })
    await iris.event('config-reloaded')
    await eventually(() => iris.rows('SELECT 1 FROM channel_cursors').length === 1, 'the bot is connected')
  })
  afterAll(async () => {
    await iris[Symbol.asyncDispose]()
    await chat.double[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    chat.posts.length = 0
    chat.shown.length = 0
  })

  const made = (file: string, team = 'backend') => existsSync(join(iris.world.directory(team), file))
  const question = async (): Promise<Post> => {
    await chat.double.until(() => chat.posts.some(({ buttons }) => buttons.length > 0), 'the question is posted')
    // Its id is stored: a click that comes before that belongs to no post.
    await eventually(
      () => iris.rows(`SELECT 1 FROM channel_posts WHERE token IS NOT NULL AND state = 'posted'`).length === 1,
      'it is noted',
    )
    return chat.posts.find(({ buttons }) => buttons.length > 0)!
  }
  const clicked = async (post: Pick<Post, 'chat' | 'id'>, value: string, from: string): Promise<string> => {
    const before = chat.shown.length
    chat.click(post, value, from)
    await chat.double.until(() => chat.shown.length > before, 'the person is shown what came of it')
    return chat.shown.at(-1)!
  }
  const posted = (text: RegExp) =>
    chat.double.until(() => chat.posts.some((post) => text.test(post.text)), `${text} is posted`)

  test('is answered by an approver, who sees what would run; nobody else and nothing else counts', async () => {
    chat.say('touch allowed.txt')
    const post = await question()
    expect(post.text).toContain('touch allowed.txt')
    expect(post.text).toContain('Input hash')
    const [allow = '', deny = ''] = post.buttons
    expect([allow, deny].map((value) => value.split(':')[2])).toEqual(['allow', 'deny'])
    expect(await clicked(post, allow, chat.bob)).toContain('you are not an approver')
    expect(await clicked({ ...post, id: chat.posts.find((each) => each !== post)!.id }, allow, chat.ada)).toContain(
      'belongs to another message',
    )
    expect(await clicked(post, `iris:${'x'.repeat(24)}:allow`, chat.ada)).toContain('the question is over')
    expect(made('allowed.txt')).toBe(false)
    expect(await clicked(post, allow, chat.ada)).toBe('Allowed, this once.')
    await posted(/^done$/)
    expect(made('allowed.txt')).toBe(true)
    await chat.double.until(() => post.buttons.length === 0, 'the buttons are gone')
    expect(post.text).toMatch(/^Allowed.*Bash of backend \(by \w+:\w+\)\.$/)
    expect(await clicked(post, deny, chat.ada)).toContain('the question is over')
    expect(iris.rows(`SELECT state, decided_by FROM permissions`)).toMatchObject([
      { state: 'allowed', decided_by: `${name}:${chat.ada}` },
    ])
    const refused = iris.rows(`SELECT actor FROM audit WHERE action = 'permission.answer_refused'`)
    expect(refused.map(({ actor }) => actor)).toContain(`${name}:${chat.bob}`)
  })

  test('is denied, and the agent is told so', async () => {
    chat.say('touch denied.txt')
    const post = await question()
    expect(await clicked(post, post.buttons[1]!, chat.ada)).toBe('Denied.')
    await posted(/^refused: /)
    expect(made('denied.txt')).toBe(false)
  })

  test('loses its buttons when it is answered elsewhere, or by nobody', async () => {
    chat.say('touch elsewhere.txt')
    const post = await question()
    const [allow = ''] = post.buttons
    const [{ id }] = iris.rows(`SELECT permission AS id FROM channel_posts WHERE token IS NOT NULL`) as [{ id: string }]
    await answerPermission(iris, { permissionId: id }, 'deny')
    await chat.double.until(() => post.buttons.length === 0, 'the buttons are gone')
    expect(post.text).toMatch(/^Denied: .*owner/)
    expect(await clicked(post, allow, chat.ada)).toContain('the question is over')
    await posted(/^refused: /)
    chat.posts.length = 0
    chat.say('touch nobody.txt')
    const second = await question()
    const [late = ''] = second.buttons
    await clock.jump(permissionTimeout + 1)
    await chat.double.until(() => second.text.startsWith('Denied, since nobody answered'), 'it says so')
    expect(await clicked(second, late, chat.ada)).toContain('the question is over')
    expect([made('elsewhere.txt'), made('nobody.txt')]).toEqual([false, false])
  })

  test('with more input than a chat shows can only be denied there', async () => {
    chat.say(`touch long.txt # ${'x'.repeat(3000)}; rm -rf /`)
    const post = await question()
    expect(post.text).toContain('NOT ALL OF IT IS SHOWN')
    expect(post.buttons.map((value) => value.split(':')[2])).toEqual(['deny'])
    expect(await clicked(post, post.buttons[0]!.replace(/deny$/, 'allow'), chat.ada)).toContain('not all of the input')
    expect(await clicked(post, post.buttons[0]!, chat.ada)).toBe('Denied.')
    expect(made('long.txt')).toBe(false)
  })

  test('of any team goes to the chat of its forwardTo, for the approvers named there', async () => {
    const answered = ask(iris, 'shop', 'touch forwarded.txt', { fromTeam: 'frontend' })
    const post = await question()
    expect(post).toMatchObject({ chat: chat.group })
    expect(await clicked(post, post.buttons[0]!, chat.ada)).toContain('you are not an approver')
    expect(await clicked(post, post.buttons[0]!, chat.bob)).toBe('Allowed, this once.')
    await answered
    expect(made('forwarded.txt', 'shop')).toBe(true)
  })
})
