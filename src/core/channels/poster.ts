import { pause } from '../../base/lib/clock.ts'
import type { ChannelPostRow } from '../../platform/store/channel-posts.ts'
import { ChatFailure, type ChatPlatform, channelIdOf } from './chat-message.ts'
import type { ChannelsParts } from './parts.ts'

/** Platforms take about one edit a second in a chat; groups, whose ids have a sign, twenty posts a minute. */
const streamEveryMs = 1000
const streamInGroupsEveryMs = 3000
const firstPauseMs = 1000
const longestPauseMs = 60_000
/** So often a post is begun anew whose message somebody deleted. */
const mostLost = 2

const placeholder = '…'

/**
 * Posts what waits, one after the other in each chat. An answer is a message that is posted empty, edited while the answer
 * is written, and edited to its end: editing twice is editing once, so that a crash can leave a message without words and
 * never two answers. What Iris says by itself is posted once, and marked when nobody knows whether it was.
 */
export class Poster {
  readonly #source: string
  readonly #platform: ChatPlatform
  readonly #parts: ChannelsParts
  readonly #working = new Map<string, Promise<void>>()
  readonly #ended = new Map<string, () => void>()
  readonly #lost = new Map<number, number>()
  readonly #over = new AbortController()

  constructor(source: string, platform: ChatPlatform, parts: ChannelsParts) {
    this.#source = source
    this.#platform = platform
    this.#parts = parts
  }

  get longestText(): number {
    return this.#platform.longestText
  }

  /** What a former life, or connection, has left. */
  resume(): void {
    for (const party of this.#parts.posts.parties(this.#source)) this.work(party)
  }

  end(): void {
    this.#over.abort()
    for (const tell of this.#ended.values()) tell()
  }

  /** The turn's text is among the posts. */
  ended(turnId: string): void {
    this.#ended.get(turnId)?.()
  }

  /** Posts what waits in a chat. */
  work(party: string): void {
    if (this.#working.has(party) || this.#over.signal.aborted) return
    const work = this.#work(party)
      .catch((error: unknown) => this.#parts.log.error(`posting in ${party} stopped: ${String(error)}`))
      .finally(() => {
        this.#working.delete(party)
        // It came as the work ended.
        if (this.#parts.posts.next(this.#source, party)?.state === 'waiting') this.work(party)
      })
    this.#working.set(party, work)
  }

  async #work(party: string): Promise<void> {
    const { posts } = this.#parts
    for (let next = posts.next(this.#source, party); next !== undefined; next = posts.next(this.#source, party)) {
      if (this.#over.signal.aborted) return
      if (next.turn === null) await this.#say(next)
      else await this.#answer(next)
    }
  }

  /** Found `sending` after a crash it may have been posted: it is not said twice. */
  async #say(row: ChannelPostRow): Promise<void> {
    const { posts, at } = this.#parts
    if (row.state === 'sending') return posts.set(row.id, 'in_doubt', { problem: 'Iris ended while it was sent' })
    posts.set(row.id, 'sending')
    at('sending')
    const platformId = await this.#tried(row, () => this.#post(row, row.text ?? ''))
    at('sent')
    if (platformId !== undefined) posts.set(row.id, 'posted', { platformId })
  }

  async #answer(row: ChannelPostRow): Promise<void> {
    const { posts, at } = this.#parts
    const id = row.platformId ?? (await this.#reserve(row))
    if (id === undefined) return
    const text = row.text ?? (await this.#stream(row, id))
    // Not answered, because Iris or the connection ends.
    if (text === undefined) return
    const edited = await this.#tried(row, async () => {
      await this.#platform.edit(channelIdOf(row.party), id, text)
      return id
    })
    at('edited')
    if (edited !== undefined) posts.set(row.id, 'posted')
  }

  async #reserve(row: ChannelPostRow): Promise<string | undefined> {
    const { posts, at } = this.#parts
    posts.set(row.id, 'sending')
    at('sending')
    const platformId = await this.#tried(row, () => this.#post(row, placeholder))
    at('sent')
    if (platformId === undefined) return undefined
    posts.set(row.id, 'reserved', { platformId })
    at('reserved')
    return platformId
  }

  #post({ party, replyTo }: ChannelPostRow, text: string): Promise<string> {
    return this.#platform.post(channelIdOf(party), text, replyTo ?? undefined)
  }

  /** Shows what is being written until the turn has ended; returns its first piece. Undefined: the connection ends before. */
  async #stream({ id, source, party, turn }: ChannelPostRow, platformId: string): Promise<string | undefined> {
    const { posts, turns, clock } = this.#parts
    const ended = new AbortController()
    this.#ended.set(turn!, () => ended.abort())
    let everyMs = party.includes(':-') ? streamInGroupsEveryMs : streamEveryMs
    let shown = placeholder
    try {
      for (;;) {
        const now = posts.next(source, party)
        if (now?.id !== id) return undefined
        if (now.text !== null) return now.text
        if (this.#over.signal.aborted) return undefined
        const text = `${turns.writing([turn!])[0]?.text ?? ''}`.slice(0, this.longestText - 1).toWellFormed()
        if (text.trim() !== '' && text !== shown) {
          shown = text
          const failure = await this.#platform.edit(channelIdOf(party), platformId, text).then(
            () => undefined,
            (error: unknown) => error,
          )
          if (failure instanceof ChatFailure) everyMs = Math.max(everyMs, failure.retryAfterMs)
        }
        await pause(clock, everyMs, ended.signal)
      }
    } finally {
      this.#ended.delete(turn!)
    }
  }

  /** Tries until the platform takes it or refuses for good. Undefined: it did not. */
  async #tried(row: ChannelPostRow, step: () => Promise<string>): Promise<string | undefined> {
    for (let pauseMs = firstPauseMs; !this.#over.signal.aborted; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        return await step()
      } catch (error) {
        const failure = error instanceof ChatFailure ? error : new ChatFailure('never', String(error))
        if (this.#isOver(row, failure)) return undefined
        await pause(this.#parts.clock, Math.max(failure.retryAfterMs, pauseMs), this.#over.signal)
      }
    }
    return undefined
  }

  /** Whether nothing more is tried with this post; then its row says how it ended. */
  #isOver({ id, turn, party }: ChannelPostRow, { kind, message: problem }: ChatFailure): boolean {
    const { posts, log } = this.#parts
    const times = (this.#lost.get(id) ?? 0) + 1
    if (kind === 'later' || (kind === 'unknown' && turn !== null)) return false
    if (kind === 'unknown') posts.set(id, 'in_doubt', { problem })
    else if (kind === 'gone' && times <= mostLost) {
      this.#lost.set(id, times)
      posts.begin(id)
    } else {
      log.warn(`nothing can be posted in ${party}: ${problem}`)
      posts.set(id, 'failed', { problem })
    }
    return true
  }
}
