import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { BotApi } from '../support/bot-api.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { DiscordDouble } from '../support/discord-double.ts'
import { eventually } from '../support/eventually.ts'
import { SlackDouble } from '../support/slack-double.ts'
import { createWorld, type World } from '../support/world.ts'
import type { Chaos } from './chaos.ts'

const platforms = ['telegram', 'discord', 'slack'] as const
const step = fc.record({
  platform: fc.constantFrom(...platforms),
  /** What happens after the message: a pause, then a kill of the daemon, a lost connection, a fault, or nothing. */
  next: fc.constantFrom('kill', 'lose', 'forget', 'fault', 'repeat', 'nothing'),
  fault: fc.constantFrom('drop', 'refuse', '429', '500'),
  action: fc.constantFrom('post', 'edit'),
  afterMs: fc.integer({ min: 0, max: 1500 }),
})
const steps = fc.array(step, { minLength: 4, maxLength: 8 })

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
  const script = ({ conversation }: { conversation: { lastUserText: string } }) => ({
    // After a crash the message comes within a note that says so.
    text: `About ${/(thing \d+)\s*(?:<\/iris-message>\s*)?$/.exec(conversation.lastUserText)?.[1]}.`,
  })
  const world = await createWorld({ script, teams: { backend: {} } })
  const platforms = await platformsOf()
  const { telegram, discord, slack } = platforms
  const files = { 'telegram-token': telegram.token, ...discord.config().files, ...slack.config().files }
  for (const [file, token] of Object.entries(files)) writeFileSync(join(world.home, file), token, { mode: 0o600 })
  const ofTelegram = { platform: 'telegram', tokenFile: 'telegram-token', apiRoot: telegram.url }
  world.writeConfig({
    channels: {
      telegram: { ...ofTelegram, team: 'backend', allow: [42] },
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
    const said: string[] = []
    const waiting: Record<Step['platform'], string[]> = { telegram: [], discord: [], slack: [] }
    for (const each of fc.sample(steps, { seed, numRuns: 1 })[0]!) {
      const text = `thing ${++this.#number}`
      const before = waiting[each.platform]
      // Iris refuses a sixth message of one person, as it says in the chat.
      await eventually(() => before.filter((one) => this.#answers(one) === 0).length < 5, 'there is room')
      said.push(text)
      before.push(text)
      await this.#play(each, text)
      for (const what of [each.next, `messages in ${each.platform}`]) counts[what] = (counts[what] ?? 0) + 1
    }
    await this.#check(said)
    return counts
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#daemon[Symbol.asyncDispose]()
    for (const double of Object.values(this.#platforms)) await double[Symbol.asyncDispose]()
    await this.#world[Symbol.asyncDispose]()
  }

  async #play({ platform, next, fault, action, afterMs }: Step, text: string): Promise<void> {
    const double = this.#platforms[platform]
    const isTelegram = double instanceof BotApi
    if (next === 'fault' && isTelegram) {
      double.faults.push({ method: action === 'post' ? 'sendMessage' : 'editMessageText', fault })
    } else if (next === 'fault' && !isTelegram) double.faults.push({ action, fault })
    if (isTelegram) double.say(text)
    else double.say(text, { from: platform === 'slack' ? ada.slack : ada.discord })
    await delay(afterMs)
    if (next === 'kill') {
      await this.#daemon.kill()
      this.#daemon = await DaemonProcess.start(this.#world)
    } else if (next === 'repeat' && !isTelegram) double.repeat()
    else if ((next === 'lose' || next === 'forget') && !isTelegram) double.lose(next === 'forget')
  }

  async #check(said: readonly string[]): Promise<void> {
    const open = `SELECT 1 FROM channel_posts WHERE state IN ('waiting', 'sending', 'reserved')`
    const isDone = (): boolean => said.every((text) => this.#answers(text) > 0) && this.#rows(open).length === 0
    await eventually(isDone, 'everything is answered').catch((error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify({ said, texts: this.#texts() })}`)
    })
    for (const text of said) {
      const turns = this.#rows(`SELECT 1 FROM turns WHERE message LIKE '${text}'`).length
      if (this.#answers(text) === 1 && turns === 1) continue
      throw new Error(JSON.stringify({ text, answers: this.#answers(text), turns, texts: this.#texts() }))
    }
  }

  #texts(): string[] {
    return Object.values(this.#platforms).flatMap(({ posts }) => posts.map(({ text }) => text))
  }

  #answers(text: string): number {
    return this.#texts().filter((one) => one.includes(`About ${text}.`)).length
  }

  #rows(sql: string): Record<string, unknown>[] {
    using database = new DatabaseSync(join(this.#world.home, 'data/team-sessions.db'), { readOnly: true })
    return database.prepare(sql).all()
  }
}
