import { isDeepStrictEqual } from 'node:util'
import { type Clock, every } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Secrets } from '../../base/lib/secrets.ts'
import type { ChannelConfig, Config } from '../../platform/config/config.ts'
import type { SessionRow } from '../../platform/store/sessions.ts'
import { lockToken } from '../../platform/store/token-lock.ts'
import { ChannelLink } from './channel-link.ts'
import type { ChannelSessions } from './channel-sessions.ts'
import type { Channels } from './channels.ts'
import { chatAdapter } from './chat-adapter.ts'
import type { ChannelLinkState } from './contract/channels.ts'
import { inspectChannel } from './inspect-channel.ts'
import type { ChannelChanges } from './rows/channel-changes.ts'
import type { Inspected } from './view.ts'

export interface ChannelLinksParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly log: Log
  readonly secrets: Secrets
  readonly env: Readonly<Record<string, string | undefined>>
  readonly channels: Channels
  readonly changes: ChannelChanges
  readonly sessions: ChannelSessions
}

interface Link {
  readonly state: ChannelLinkState
  end(): Promise<void>
}

interface Held {
  readonly channel: ChannelConfig
  readonly link: Link
  readonly endCleanUp: () => void
  readonly unlock?: () => void
}

/** The pause before Iris retries a token that another daemon uses. */
const heldPauseMs = 30_000

/** One connection for each channel of the configuration in force. */
export class ChannelLinks {
  readonly #parts: ChannelLinksParts
  readonly #held = new Map<string, Held>()
  #work: Promise<void> = Promise.resolve()
  #isOpen = false

  constructor(parts: ChannelLinksParts) {
    this.#parts = parts
  }

  /** Opens the channels once the turns of the previous daemon are recovered. */
  begin(): void {
    this.#isOpen = true
    this.settingsChanged()
  }

  settingsChanged(): void {
    if (this.#isOpen) this.#work = this.#work.then(() => this.#follow()).catch((error: unknown) => this.#say(error))
  }

  stateOf(name: string): ChannelLinkState {
    return this.#held.get(name)?.link.state ?? { state: 'off' }
  }

  /** Asks the platform about a channel's bot, without receiving messages. */
  async inspect(channel: ChannelConfig): Promise<Inspected> {
    const { config, env, secrets, clock } = this.#parts
    const addSecrets = (found: readonly string[]): void => secrets.add(found)
    return inspectChannel(channel, { home: config().home, env, now: () => clock.now(), addSecrets })
  }

  async end(): Promise<void> {
    this.#isOpen = false
    await this.#work
    await Promise.all([...this.#held.keys()].map((name) => this.#end(name)))
  }

  async #follow(): Promise<void> {
    const { channels } = this.#parts.config()
    for (const [name, { channel }] of this.#held) {
      if (!isDeepStrictEqual(channels.get(name), channel)) await this.#end(name)
    }
    for (const [name, channel] of channels) {
      if (this.#isOpen && !this.#held.has(name)) this.#held.set(name, await this.#begin(channel))
    }
  }

  async #begin(channel: ChannelConfig): Promise<Held> {
    const { config, env, secrets, log, clock, channels, changes, sessions } = this.#parts
    const limitsOf = ({ from, to }: SessionRow): ChannelConfig | undefined =>
      from.startsWith(`${channel.platform}:`) && to === channel.team ? channel : undefined
    const endCleanUp = every(clock, channel.cleanupInterval, () => {
      sessions.cleanUp(limitsOf).catch((error: unknown) => this.#say(error))
    })
    const found = await chatAdapter(channel, { home: config().home, env, now: () => clock.now() })
    if ('problem' in found) {
      log.warn(`the channel ${channel.name} cannot be used: ${found.problem}`)
      return { channel, endCleanUp, link: { state: { state: 'refused', why: found.problem }, end: async () => {} } }
    }
    secrets.add(found.secrets)
    const lock = lockToken(found.secrets[0], env)
    if ('heldBy' in lock) {
      const why = `the daemon with the pid ${lock.heldBy} has a connection for this token already`
      log.warn(`the channel ${channel.name} is not connected: ${why}`)
      const again = clock.after(heldPauseMs, () => this.#again(channel.name))
      return { channel, endCleanUp, link: { state: { state: 'refused', why }, end: async () => again() } }
    }
    const link = new ChannelLink({ channel, adapter: found.adapter, clock, log, channels, changes })
    return { channel, endCleanUp, link, unlock: lock.unlock }
  }

  /** Tries again to open a channel. */
  #again(name: string): void {
    this.#work = this.#work.then(() => this.#end(name))
    this.settingsChanged()
  }

  async #end(name: string): Promise<void> {
    const held = this.#held.get(name)
    this.#held.delete(name)
    held?.endCleanUp()
    await held?.link.end()
    held?.unlock?.()
  }

  #say(error: unknown): void {
    this.#parts.log.error(`channels: ${String(error)}`)
  }
}
