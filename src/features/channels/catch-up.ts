import type { Clock } from '../../base/lib/clock.ts'
import type { ChannelConfig } from '../../platform/config/config.ts'
import type { ChatMessage } from './chat-message.ts'

/** Platforms give times in whole seconds. */
const precisionMs = 1000

/** `skip`: the message is too old, or too many were waiting. `forget`: it is from before the first connection. */
export type TooOld = 'skip' | 'forget'

/** Limits how many of the messages sent while the channel was disconnected are answered. */
export class CatchUp {
  readonly #since: number
  readonly #clock: Clock
  #startedAt: number
  #count = 0
  #isBehind = true

  /**
   * `since`: when the channel was first connected. Earlier messages are ignored; messages sent between that time and
   * this connection are caught up on.
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

  /** Whether messages sent while the channel was disconnected are still arriving. */
  get isBehind(): boolean {
    return this.#isBehind
  }

  /**
   * Counts a message during catch-up. A live message is always answered, even if the platform's clock and this
   * machine's clock disagree, because the wall clock may jump.
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
