import { Api, GrammyError } from 'grammy'
import { type Clock, pause } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { ChannelLinkState } from '../../base/protocol/operations/channels.ts'
import type { Channels } from '../../core/channels/channels.ts'
import type { ChannelConfig } from '../../platform/config/config.ts'
import { type Me, readMessage } from './read-message.ts'
import { failureOf, telegramPlatform } from './telegram-platform.ts'

export interface TelegramLinkParts {
  readonly channel: ChannelConfig
  readonly token: string
  readonly clock: Clock
  readonly log: Log
  readonly channels: Pick<Channels, 'connect' | 'disconnect' | 'receive' | 'passed' | 'caughtUp'>
}

/** How long Telegram holds a request for updates open, and the timeout of every request, in seconds. */
const pollSeconds = 25
const timeoutSeconds = 60
/** How many updates Telegram gives at once. Fewer than that are all there are. */
const mostUpdates = 100
const firstPauseMs = 1000
const longestPauseMs = 60_000
/** An update that fails this often is skipped, except on an IrisError: a bug must not stop the rest. */
const mostTries = 3

/** One bot: fetches its updates, and confirms none to Telegram before it is stored. */
export class TelegramLink {
  readonly #parts: TelegramLinkParts
  readonly #api: Api
  readonly #over = new AbortController()
  readonly #done: Promise<void>
  #state: ChannelLinkState = { state: 'connecting' }
  #me: Me | undefined
  #cursor: number | undefined
  #failing: { readonly update: number; tries: number } | undefined

  constructor(parts: TelegramLinkParts) {
    this.#parts = parts
    const { apiRoot } = parts.channel
    const options = { timeoutSeconds, ...(apiRoot !== undefined && { apiRoot: apiRoot.replace(/\/+$/, '') }) }
    this.#api = new Api(parts.token, options)
    this.#done = this.#run()
  }

  get state(): ChannelLinkState {
    return this.#state
  }

  async end(): Promise<void> {
    this.#over.abort()
    this.#parts.channels.disconnect(this.#parts.channel.name)
    await this.#done
  }

  async #run(): Promise<void> {
    const { clock, log, channel } = this.#parts
    for (let pauseMs = firstPauseMs; !this.#over.signal.aborted; ) {
      try {
        await this.#poll()
        pauseMs = firstPauseMs
      } catch (error) {
        if (this.#over.signal.aborted) return
        const { retryAfterMs } = failureOf(error)
        const next = stateOf(error)
        if (next.state !== this.#state.state || next.why !== this.#state.why) {
          log.warn(`the channel ${channel.name} is ${next.state}: ${next.why}`)
        }
        this.#state = next
        await pause(clock, Math.max(pauseMs, retryAfterMs), this.#over.signal)
        pauseMs = Math.min(2 * pauseMs, longestPauseMs)
      }
    }
  }

  async #poll(): Promise<void> {
    const { channel, channels } = this.#parts
    const signal = this.#over.signal as unknown as Parameters<Api['getMe']>[0]
    if (this.#me === undefined) {
      const { id, username } = await this.#api.getMe(signal)
      this.#me = { id, username }
      this.#cursor = Number(channels.connect(channel, telegramPlatform(this.#api)))
    }
    const offset = (this.#cursor ?? 0) + 1
    const isFirst = this.#state.state !== 'connected'
    const question = {
      offset,
      limit: mostUpdates,
      allowed_updates: ['message'] as const,
      timeout: isFirst ? 0 : pollSeconds,
    }
    const updates = await this.#api.getUpdates(question, signal)
    for (const update of updates) {
      if (this.#over.signal.aborted) return
      await this.#take(update)
      this.#cursor = update.update_id
    }
    this.#state = { state: 'connected', as: `@${this.#me.username}` }
    if (updates.length < mostUpdates) channels.caughtUp(channel)
  }

  async #take(update: Awaited<ReturnType<Api['getUpdates']>>[number]): Promise<void> {
    const { channel, channels, log } = this.#parts
    const { update_id: id, message } = update
    try {
      if (message === undefined) channels.passed(channel, String(id))
      else await channels.receive(channel, readMessage(id, message, this.#me!))
      this.#failing = undefined
    } catch (error) {
      if (this.#failing?.update !== id) this.#failing = { update: id, tries: 0 }
      this.#failing.tries += 1
      if (error instanceof IrisError || this.#failing.tries < mostTries) throw error
      log.error(`an update of ${channel.name} cannot be taken: ${String(error)}`, { update: id })
      channels.passed(channel, String(id))
    }
  }
}

function stateOf(error: unknown): ChannelLinkState & { readonly why: string } {
  if (error instanceof IrisError) return { state: 'retrying', why: error.message }
  if (!(error instanceof GrammyError)) return { state: 'retrying', why: failureOf(error).message }
  const { error_code: code, description: why } = error
  if (code === 401 || code === 404) return { state: 'refused', why: `Telegram does not know the token (${why})` }
  if (code === 409) return { state: 'refused', why: `another program reads the updates of this bot (${why})` }
  return { state: 'retrying', why }
}
