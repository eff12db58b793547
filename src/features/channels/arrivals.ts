import type { ChatPlace } from './chat-message.ts'
import type { OlderMessages } from './chat-platform.ts'

/** The maximum number of messages in memory. Platforms redeliver any others, because those were not acknowledged. */
const maxInMemory = 1000

interface Held {
  readonly message: ChatPlace
  readonly go: () => void
}

/**
 * Stores the messages of a channel one after the other. While histories are read, a message waits for the older ones of
 * its chat, and for no other chat.
 */
export class Arrivals {
  #last: Promise<unknown> = Promise.resolve()
  #reading: Promise<void> = Promise.resolve()
  #current: Pick<OlderMessages, 'waits'> | undefined
  /** Whether a history is queued for reading as soon as everything before it is stored. */
  #isReadingNext = false
  #held: readonly Held[] = []
  #waiting = 0

  /**
   * `message`: a new message, or a change to a message. Returns false if too many are waiting, otherwise the result of
   * `store`.
   */
  async add(message: ChatPlace, store: () => Promise<boolean>): Promise<boolean> {
    if (this.#waiting >= maxInMemory) return false
    this.#waiting += 1
    try {
      if (this.#mustWait(message)) await this.#hold(message)
      return await this.next(store)
    } finally {
      this.#waiting -= 1
    }
  }

  /** Runs `store` after all earlier calls have finished. */
  next(store: () => Promise<boolean>): Promise<boolean> {
    const done = this.#last.then(store)
    this.#last = done.catch(() => {})
    return done
  }

  /**
   * Queues the reading of a history after all earlier arrivals. `run` must not reject. A reading that is already queued
   * also serves later calls.
   */
  read(older: Pick<OlderMessages, 'waits'>, run: () => Promise<void>): void {
    if (this.#isReadingNext) return
    this.#isReadingNext = true
    this.#reading = this.#reading.then(async () => {
      await this.#last
      this.#isReadingNext = false
      this.#current = older
      await run()
      this.#current = undefined
      this.release()
    })
  }

  /** Releases the messages of chats that have been read. */
  release(): void {
    const held = this.#held
    this.#held = held.filter(({ message }) => this.#mustWait(message))
    for (const one of held) if (!this.#held.includes(one)) one.go()
  }

  async end(): Promise<void> {
    await this.#reading
    await this.#last
  }

  #mustWait(message: ChatPlace): boolean {
    return this.#isReadingNext || this.#current?.waits(message) === true
  }

  #hold(message: ChatPlace): Promise<void> {
    return new Promise((go) => {
      this.#held = [...this.#held, { message, go }]
    })
  }
}
