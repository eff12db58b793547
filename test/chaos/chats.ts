import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import type { Script } from '../../src/app/demo/script.ts'
import { BotApi } from '../support/bot-api.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { DiscordDouble } from '../support/discord-double.ts'
import { eventually } from '../support/eventually.ts'
import { SlackDouble } from '../support/slack-double.ts'
import { createWorld, type World } from '../support/world.ts'
import type { Chaos } from './chaos.ts'

const platforms = ['telegram', 'discord', 'slack'] as const
/**
 * What happens after the message: a pause, then a kill of the daemon, a lost connection, a fault, something that its
 * author or the platform does, or nothing.
 */
const happenings = [
  ...(['kill', 'lose', 'forget', 'fault', 'repeat', 'nothing'] as const),
  ...(['edit', 'edit twice', 'delete', 'migrate', 'refuse posts', 'refuse edits', 'refuse files'] as const),
]
const step = fc.record({
  platform: fc.constantFrom(...platforms),
  next: fc.constantFrom(...happenings),
  fault: fc.constantFrom('drop', 'refuse', '429', '500'),
  action: fc.constantFrom('post', 'edit', 'file'),
  /** Whether the answer is too long for posts, and whether it is asked in a group; that is in Telegram. */
  isLong: fc.constantFrom(true, false, false, false),
  isInGroup: fc.boolean(),
  afterMs: fc.integer({ min: 0, max: 1500 }),
})
const steps = fc.array(step, { minLength: 4, maxLength: 8 })

/** Telegram's names of what the bot does. */
const methods = { post: 'sendMessage', edit: 'editMessageText', file: 'sendDocument' } as const
const firstGroup = -5

interface Said {
  readonly text: string
  readonly platform: Step['platform']
  /** Its author deleted it. */
  mayBeGone: boolean
  /** Its group moved, or its message took no edit any more: it may be begun in one message, and be whole in another one. */
  mayBeBegun: boolean
}

const ada = { discord: '100000000000000042', slack: 'U0ADA42' }

async function platformsOf() {
  const [telegram, discord, slack] = [await BotApi.start(), await DiscordDouble.start(), await SlackDouble.start()]
  return { telegram, discord, slack }
}

type Platforms = Awaited<ReturnType<typeof platformsOf>>
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/**
 * `kill -9`, lost connections and faults while people write in three platforms: each message has one turn, and each
 * answer one post.
 */
export async function chats(): Promise<Chaos> {
  const script: Script = ({ body }) => {
    // After a crash Iris may only ask to continue: the message is in the conversation already.
    const asked = JSON.stringify(body.messages.filter(({ role }) => role === 'user'))
    const about = asked.match(/thing \d+(?: long)?(?: changed)?(?: again)?/g)?.at(-1) ?? ''
    const rest = about.includes('long') ? `\n\n${'A word or two. '.repeat(1700)}\n\nEnd of ${about}.` : ''
    return { text: `About ${about}.${rest}` }
  }
  const world = await createWorld({ script, teams: { backend: {} } })
  const platforms = await platformsOf()
  const { telegram, discord, slack } = platforms
  const files = { 'telegram-token': telegram.token, ...discord.config().files, ...slack.config().files }
  for (const [file, token] of Object.entries(files)) writeFileSync(join(world.home, file), token, { mode: 0o600 })
  const ofTelegram = { platform: 'telegram', tokenFile: 'telegram-token', apiRoot: telegram.url }
  world.writeConfig({
    channels: {
      telegram: { ...ofTelegram, team: 'backend', allow: [42], groups: { [firstGroup]: 'always' } },
      discord: { ...discord.config().entry, team: 'backend', allow: [ada.discord] },
      slack: { ...slack.config().entry, team: 'backend', allow: [ada.slack] },
    },
  })
  const chaos = new Chats(world, platforms, await DaemonProcess.start(world))
  await chaos.listens()
  return chaos
}

class Chats implements Chaos {
  readonly #world: World
  readonly #platforms: Platforms
  #daemon: DaemonProcess
  #number = 0
  #group = firstGroup

  constructor(world: World, platforms: Platforms, daemon: DaemonProcess) {
    this.#world = world
    this.#platforms = platforms
    this.#daemon = daemon
  }

  listens(): Promise<unknown> {
    return eventually(() => this.#rows('SELECT 1 FROM channel_cursors').length === 3, 'all channels are open')
  }

  async round(seed: number): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {}
    const said: Said[] = []
    for (const each of fc.sample(steps, { seed, numRuns: 1 })[0]!) {
      const text = `thing ${++this.#number}${each.isLong ? ' long' : ''}`
      // Iris refuses a sixth message of one person, as it says in the chat.
      await eventually(() => said.filter((one) => !this.#isSettled(one)).length < 5, 'there is room')
      const one = { text, platform: each.platform, mayBeGone: false, mayBeBegun: false }
      said.push(one)
      await this.#play(each, one)
      const isBegunOver = each.next === 'refuse edits' || (each.next === 'migrate' && each.platform === 'telegram')
      if (isBegunOver) for (const other of said) other.mayBeBegun ||= other.platform === each.platform
      // Those that wait may come after it.
      one.mayBeBegun ||= said.some(({ platform, mayBeBegun }) => platform === each.platform && mayBeBegun)
      for (const what of [each.next, `messages in ${each.platform}`]) counts[what] = (counts[what] ?? 0) + 1
    }
    await this.#check(said)
    for (const { faults } of Object.values(this.#platforms)) faults.length = 0
    return counts
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#daemon[Symbol.asyncDispose]()
    for (const double of Object.values(this.#platforms)) await double[Symbol.asyncDispose]()
    await this.#world[Symbol.asyncDispose]()
  }

  async #play({ platform, next, isInGroup, afterMs, ...step }: Step, said: Said): Promise<void> {
    const { telegram, ...others } = this.#platforms
    if (next === 'fault') this.#fails(platform, step.action, step.fault)
    if (next === 'refuse posts') this.#fails(platform, 'post', '403')
    if (next === 'refuse edits') for (let time = 0; time < 3; time += 1) this.#fails(platform, 'edit', '403')
    if (next === 'refuse files') this.#fails(platform, 'file', '403')
    const { text } = said
    if (platform === 'telegram') {
      const chat = isInGroup ? this.#group : 42
      const id = telegram.say(text, { chat, isGroup: isInGroup })
      await delay(afterMs)
      if (next.startsWith('edit')) telegram.edit(id, `${text} changed`, { chat })
      if (next === 'edit twice') telegram.edit(id, `${text} changed again`, { chat })
      if (next === 'migrate') this.#migrate()
    } else {
      const double = others[platform]
      const id = double.say(text, { from: ada[platform] })
      await delay(afterMs)
      if (next.startsWith('edit')) double.edit(id, `${text} changed`)
      if (next === 'edit twice') double.edit(id, `${text} changed again`)
      if (next === 'delete') double.remove(id)
      said.mayBeGone = next === 'delete'
      if (next === 'repeat') double.repeat()
      if (next === 'lose' || next === 'forget') double.lose(next === 'forget')
    }
    if (next !== 'kill') return
    await this.#daemon.kill()
    this.#daemon = await DaemonProcess.start(this.#world)
  }

  #fails(platform: Step['platform'], action: Step['action'], fault: Step['fault'] | '403'): void {
    if (platform === 'telegram') this.#platforms.telegram.faults.push({ method: methods[action], fault })
    else this.#platforms[platform].faults.push({ action, fault })
  }

  #migrate(): void {
    const to = this.#group - 1000
    this.#platforms.telegram.migrate(this.#group, to)
    this.#group = to
  }

  async #check(said: readonly Said[]): Promise<void> {
    const open = `SELECT 1 FROM channel_posts WHERE state IN ('waiting', 'sending', 'reserved')`
    const isDone = (): boolean => said.every((one) => this.#isSettled(one)) && this.#rows(open).length === 0
    await eventually(isDone, 'everything is answered').catch((error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify({ said, texts: this.#heads() })}`)
    })
    for (const one of said) {
      const why = this.#broken(one)
      if (why === undefined) continue
      const turns = this.#turnsOf(one)
      const posts = turns.flatMap(({ id }) =>
        this.#rows(
          `SELECT id, piece, state, problem, substr(text, 1, 60) AS text, platform_id FROM channel_posts WHERE turn = '${id}'`,
        ),
      )
      throw new Error(`${why}: ${JSON.stringify({ one, turns, posts, texts: this.#heads() })}`)
    }
  }

  /** Which promise is broken for a message; undefined: none. */
  #broken(said: Said): string | undefined {
    const turns = this.#turnsOf(said)
    const [turn] = turns
    if (turns.length > 1) return 'it ran twice'
    if (turn === undefined) return said.mayBeGone ? undefined : 'it was lost'
    const { id, message, outcome } = turn
    const answers = this.#texts().filter((text) => text.includes(`About ${message}.`)).length
    const others = this.#texts().filter((text) => new RegExp(`About ${said.text}[. ]`).test(text)).length - answers
    if (others > 0) return 'it was answered as it no longer is'
    if (answers > (said.mayBeBegun ? 2 : 1)) return 'it was answered twice'
    // The platform refused it, nobody knows whether it arrived, or it was withdrawn.
    const ends = this.#rows(`SELECT state FROM channel_posts WHERE turn = '${id}' AND state <> 'posted' AND piece >= 0`)
    if (ends.length > 0 || outcome !== 'completed') return undefined
    if (answers === 0) return 'it was not answered'
    return message.includes('long') && !this.#all().includes(`End of ${message}.`) ? 'its end is missing' : undefined
  }

  #isSettled(said: Said): boolean {
    const turns = this.#turnsOf(said)
    const isAnswered = turns.every(
      ({ id }) => this.#rows(`SELECT 1 FROM channel_messages WHERE turn = '${id}' AND state = 'asked'`).length === 0,
    )
    return isAnswered && (turns.length > 0 || said.mayBeGone)
  }

  #turnsOf({ text }: Said) {
    const texts = ['', ' changed', ' changed again'].map((end) => `'${text}${end}'`)
    return this.#rows(`SELECT id, message, outcome FROM turns WHERE message IN (${texts.join()})`) as {
      id: string
      message: string
      outcome: string | null
    }[]
  }

  #texts(): string[] {
    return Object.values(this.#platforms).flatMap(({ posts }) => posts.map(({ text }) => text))
  }

  #heads(): string[] {
    return this.#texts().map((text) => text.slice(0, 60))
  }

  /** What people can read, in files too. */
  #all(): string {
    const files = Object.values(this.#platforms).flatMap(({ documents }) =>
      documents.map(({ content }) => String(content)),
    )
    return [...this.#texts(), ...files].join('\n')
  }

  #rows(sql: string): Record<string, unknown>[] {
    using database = new DatabaseSync(join(this.#world.home, 'data/team-sessions.db'), { readOnly: true })
    return database.prepare(sql).all()
  }
}
