import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BotApi } from './bot-api.ts'
import type { ChatFault } from './chat-double.ts'
import { DiscordDouble } from './discord-double.ts'
import { SlackDouble } from './slack-double.ts'
import type { World } from './world.ts'

const ids = { telegram: '42', discord: '100000000000000042', slack: 'U0ADA42' }
/** Telegram's. */
const methods = { post: 'sendMessage', file: 'sendDocument', edit: 'editMessageText' } as const
export const chatPlatforms = ['telegram', 'discord', 'slack'] as const

/** One platform with one person who may write to the bot of the channel `shop`. */
export class ChatPlace implements AsyncDisposable {
  readonly double: BotApi | DiscordDouble | SlackDouble
  readonly #person: string

  static async start(platform: keyof typeof ids, now: () => number = Date.now): Promise<ChatPlace> {
    const of = { telegram: BotApi, discord: DiscordDouble, slack: SlackDouble }
    return new ChatPlace(await of[platform].start(now), ids[platform])
  }

  private constructor(double: ChatPlace['double'], person: string) {
    this.double = double
    this.#person = person
  }

  /** Writes config.yaml with the channel. */
  join({ home, writeConfig }: Pick<World, 'home' | 'writeConfig'>, more: object = {}, all: object = {}): void {
    writeConfig({ channels: { shop: { ...this.channel(home), ...more } }, ...all })
  }

  /** Writes the files with its tokens. Returns what config.yaml says of the channel. */
  channel(home: string): Record<string, unknown> {
    const { double } = this
    const { entry, files } =
      double instanceof BotApi
        ? {
            entry: { platform: 'telegram', tokenFile: 'telegram-token', apiRoot: double.url },
            files: { 'telegram-token': double.token },
          }
        : double.config()
    for (const [file, token] of Object.entries(files)) writeFileSync(join(home, file), token, { mode: 0o600 })
    return { ...entry, team: 'backend', allow: [this.#person] }
  }

  /** Waits until the bot is connected to the platform. */
  async listens(): Promise<void> {
    const { double } = this
    if (double instanceof BotApi) await double.listens()
    else await double.until(() => double.isConnected, 'a bot listens')
  }

  /** Waits for a post with such a text, in whatever chat. */
  async posted(fits: (text: string) => boolean, what: string): Promise<void> {
    await this.double.until(() => this.texts.some(fits), what)
  }

  /** Returns the id of the message. */
  say(text: string, file?: { readonly name: string; readonly content: Uint8Array }): string {
    const { double } = this
    return double instanceof BotApi
      ? String(double.say(text, file && { file }))
      : double.say(text, { from: this.#person, ...(file && { files: [file] }) })
  }

  /** The person changes what a message of his says. */
  edit(id: string, text: string): void {
    const { double } = this
    if (double instanceof BotApi) double.edit(Number(id), text)
    else double.edit(id, text)
  }

  /** The platform adds the preview of a link to it; Telegram says so with an edit that changes no words. */
  previews(id: string): void {
    const { double } = this
    if (!(double instanceof BotApi)) return double.preview(id)
    double.touch(Number(id))
  }

  /** The next requests of this kind fail so. */
  fails(action: keyof typeof methods, fault: ChatFault, times = 1): void {
    const { double } = this
    for (let time = 0; time < times; time += 1) {
      if (double instanceof BotApi) double.faults.push({ method: methods[action], fault })
      else double.faults.push({ action, fault })
    }
  }

  get texts(): string[] {
    return this.double.posts.map(({ text }) => text)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.double[Symbol.asyncDispose]()
  }
}
