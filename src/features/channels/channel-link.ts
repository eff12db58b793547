import { type Clock, pause } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { ChannelConfig } from '../../platform/config/config.ts'
import { Arrivals } from './arrivals.ts'
import type { Channels } from './channels.ts'
import type { ChatMessage } from './chat-message.ts'
import type { ChatAdapter, ChatClick, ChatInbox, ChatReading, OlderMessages } from './chat-platform.ts'
import type { ChannelLinkState } from './contract/channels.ts'
import { MovedChats, moveRemedy, throughMoves } from './moved-chats.ts'
import type { ChannelChanges } from './rows/channel-changes.ts'
import type { UnreadChats } from './unread-chats.ts'

export interface ChannelLinkParts {
  readonly channel: ChannelConfig
  readonly adapter: ChatAdapter
  readonly clock: Clock
  readonly log: Log
  readonly changes: Pick<ChannelChanges, 'move' | 'moves'>
  readonly channels: Pick<
    Channels,
    'change' | 'click' | 'connect' | 'disconnect' | 'receive' | 'passed' | 'catchUp' | 'caughtUp' | 'known'
  >
}

/** Pauses before another attempt to connect. They double from the first to the longest. */
const firstPauseMs = 1000
const maxPauseMs = 60_000
/**
 * A message that fails this often is skipped, so that a bug does not block the others. An IrisError is always retried.
 */
const maxTries = 3

/**
 * The connection of one channel: connects again after a failure, and stores the channel's messages one after the other.
 */
export class ChannelLink {
  readonly #parts: ChannelLinkParts
  readonly #over = new AbortController()
  readonly #done: Promise<void>
  readonly #inbox: ChatInbox
  #state: ChannelLinkState = { state: 'connecting' }
  #isOpen = false
  readonly #arrivals = new Arrivals()
  /** Older messages may be missing: the cursor stays where it is until all of them are stored. */
  #isBehind = false
  /** Undefined if no history is being read. */
  #unread: Pick<UnreadChats<unknown>, 'counts'> | undefined

  constructor(parts: ChannelLinkParts) {
    this.#parts = parts
    this.#inbox = this.#makeInbox()
    this.#done = this.#run()
  }

  get state(): ChannelLinkState {
    return { ...this.#state, ...(this.#unread !== undefined && { catchingUp: this.#unread.counts }) }
  }

  async end(): Promise<void> {
    this.#over.abort()
    await this.#parts.channels.disconnect(this.#parts.channel.name)
    await this.#done
    await this.#arrivals.end()
  }

  async #run(): Promise<void> {
    const { adapter, clock, channels, channel } = this.#parts
    const { signal } = this.#over
    for (let pauseMs = firstPauseMs; !signal.aborted; ) {
      let atLeastMs = 0
      try {
        await adapter.listen(this.#inbox, signal)
      } catch (error) {
        if (signal.aborted) return
        if (this.#state.state === 'connected') pauseMs = firstPauseMs
        const { state, pauseMs: wanted } = adapter.problem(error)
        this.#set(state)
        atLeastMs = wanted
      }
      // Messages written during the pause arrive first.
      channels.catchUp(channel)
      await pause(clock, Math.max(pauseMs, atLeastMs), signal)
      pauseMs = Math.min(2 * pauseMs, maxPauseMs)
    }
  }

  /** A library may report a connection that was closed on purpose as a lost one. */
  #set(next: ChannelLinkState): void {
    if (this.#over.signal.aborted) return
    const { log, channel } = this.#parts
    const isNew = next.state !== this.#state.state || next.why !== this.#state.why
    if (isNew && next.why !== undefined) log.warn(`the channel ${channel.name} is ${next.state}: ${next.why}`)
    this.#state = next
  }

  #makeInbox(): ChatInbox {
    const { channel, channels } = this.#parts
    const moves = this.#moves()
    let cursor = '0'
    return {
      open: (platform) => {
        if (!this.#isOpen) cursor = channels.connect(channel, throughMoves(platform, moves))
        this.#isOpen = true
      },
      cursor: () => cursor,
      set: (state) => this.#set(state),
      readable: (read) => this.#readable(read),
      moved: (from, to) => void moves.move(from, to),
      take: (written) => {
        const message = moves.message(written)
        return this.#arrivals.add(message, async () => {
          const isNext = !this.#isBehind
          const isStored = await this.#take(isNext ? message : { ...message, cursor })
          if (isStored && isNext) ({ cursor } = message)
          return isStored
        })
      },
      change: (made) => {
        const change = moves.change(made)
        return this.#arrivals.add(change, async () => {
          const isStored = await this.#stored(() => channels.change(channel, change), change.cursor, 'a change')
          if (isStored) cursor = change.cursor ?? cursor
          return isStored
        })
      },
      click: (click) => this.#click(moves.click(click)),
      passed: (to) => {
        cursor = to
        channels.passed(channel, to)
      },
      catchUp: (older) => {
        this.#isBehind = true
        this.#arrivals.read(older, () => this.#catchUp(older))
      },
      caughtUp: () => channels.caughtUp(channel),
      people: () => channels.known(channel).people(),
      writers: () => channels.known(channel).writers(),
    }
  }

  #moves(): MovedChats {
    const { adapter, changes, channel, clock, log } = this.#parts
    return new MovedChats({
      restartsIds: adapter.restartsIds === true,
      moves: changes.moves(channel.name),
      isListed: (id) => Object.hasOwn(channel.groups, id),
      record: (move) => {
        changes.move(channel.name, move, clock.now())
        log.warn(`the group ${move.from} of ${channel.name} continues as ${move.to}. ${moveRemedy(channel.name, move)}`)
      },
    })
  }

  /** The platform's library does not catch errors here, so an error would end the daemon. */
  #click(click: ChatClick): string {
    const { channel, channels, log } = this.#parts
    try {
      return channels.click(channel, click)
    } catch (error) {
      log.error(`a click in ${channel.name} could not be handled: ${String(error)}`)
      return 'Something failed in Iris, so your click had no effect. Click again.'
    }
  }

  #readable<T>(read: () => T): T | undefined {
    try {
      return read()
    } catch (error) {
      const { channel, log } = this.#parts
      log.error(`an update of ${channel.name} cannot be read: ${String(error)}`)
      return undefined
    }
  }

  /** If the history or the store cannot be read to the end, the next connection reads the history again. */
  async #catchUp(older: OlderMessages): Promise<void> {
    const { channel, channels, log } = this.#parts
    const { signal } = this.#over
    if (signal.aborted) return
    this.#isBehind = true
    channels.catchUp(channel)
    const reading: ChatReading = { tried: (step) => this.#tried(step), each: (chats) => this.#each(chats) }
    try {
      for await (const message of older.read(reading))
        if (!(await this.#arrivals.next(() => this.#take(message)))) return
      await this.#arrivals.next(async () => {
        if (signal.aborted) return false
        this.#isBehind = false
        this.#inbox.passed(older.cursorAfter())
        channels.caughtUp(channel)
        return true
      })
    } catch (error) {
      if (!signal.aborted) log.error(`the history of ${channel.name} was not read to its end: ${String(error)}`)
    } finally {
      this.#unread = undefined
    }
  }

  *#each<T>(chats: UnreadChats<T>): Iterable<T> {
    this.#unread = chats
    for (const chat of chats) {
      this.#arrivals.release()
      yield chat
    }
  }

  /** Rejects when the channel ends. */
  async #tried<T>(step: () => Promise<T>): Promise<T> {
    const { adapter, channel, clock, log } = this.#parts
    const { signal } = this.#over
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      signal.throwIfAborted()
      try {
        return await step()
      } catch (error) {
        const { state, pauseMs: wanted } = adapter.problem(error)
        log.warn(`${channel.name} cannot read older messages yet: ${state.why}`)
        await pause(clock, Math.max(pauseMs, wanted), signal)
      }
    }
  }

  #take(message: ChatMessage): Promise<boolean> {
    const { channel, channels } = this.#parts
    const receive = (): Promise<void> => channels.receive(channel, message, this.#over.signal)
    return this.#stored(receive, message.cursor, `a message (${message.updateId})`)
  }

  /** Tries `store` until it succeeds. Returns false if the connection ends first. */
  async #stored(store: () => Promise<void>, cursor: string | undefined, what: string): Promise<boolean> {
    const { channel, clock, log } = this.#parts
    const before = this.#state
    for (let tries = 1; !this.#over.signal.aborted; tries += 1) {
      try {
        await store()
        if (tries > 1) this.#set(before)
        return true
      } catch (error) {
        if (this.#over.signal.aborted) return false
        const mayPass = error instanceof IrisError
        if (mayPass) this.#set({ state: 'retrying', why: error.message })
        else if (tries >= maxTries) {
          log.error(`${what} of ${channel.name} could not be stored: ${String(error)}`)
          if (cursor !== undefined) this.#inbox.passed(cursor)
          return true
        }
        await pause(clock, Math.min(firstPauseMs * 2 ** (tries - 1), maxPauseMs), this.#over.signal)
      }
    }
    return false
  }
}
