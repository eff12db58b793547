import type { Clock } from '../../base/lib/clock.ts'
import type { ChannelConfig } from '../../platform/config/config.ts'
import type { ChatMessage } from './chat-message.ts'

/** Platforms give times in whole seconds. */
const precisionMs = 1000

/** `skip`: the message is too old, or too many waited. `forget`: it is from before the first connection. */
export type TooOld = 'skip' | 'forget'

/** Bounds how many messages of a time without a connection are answered. */
export class CatchUp {
  readonly #since: number
  readonly #clock: Clock
  #startedAt: number
  #count = 0
  #isBehind = true

  /**
   * `since`: the first connection ever. Earlier messages are ignored; those between it and this connection are caught
   * up.
   */
  constructor(since: number, clock: Clock) {
    this.#since = since
    this.#clock = clock
    this.#startedAt = clock.now()
  }

  /** From now until `end`, older messages arrive. */
  begin(): void {
    this.#startedAt = this.#clock.now()
    this.#count = 0
    this.#isBehind = true
  }

  /** From now until the next `begin`, messages arrive live. */
  end(): void {
    this.#isBehind = false
  }

  /** Whether messages from a time without a connection still arrive. */
  get isBehind(): boolean {
    return this.#isBehind
  }

  /**
   * Counts a message from catching up. A live message is always answered, whatever the two clocks show, because the
   * wall clock may jump.
   */
  judge({ catchUpAge, catchUpMessages }: ChannelConfig, { sentAt }: ChatMessage): TooOld | undefined {
    if (!this.#isBehind) return undefined
    const sent = sentAt + precisionMs
    if (sent < this.#since) return 'forget'
    if (this.#clock.now() - sent > catchUpAge) return 'skip'
    if (sent >= this.#startedAt) return undefined
    this.#count += 1
    return this.#count > catchUpMessages ? 'skip' : undefined
  }
}
