import { daemonEvents, type StreamEvent } from '../../../app/cli/daemon-events.ts'
import { systemClock } from '../../../base/lib/clock.ts'
import { deferred } from '../../../base/lib/deferred.ts'
import type { Environment } from '../../../platform/config/home.ts'

/** How long to wait for the release, milliseconds. claude deletes its file as it ends, and Iris looks every second. */
const noticedMs = 5000

/** Follows whether Iris notices that a person has the conversation open. */
export class Hold {
  readonly #gone = new AbortController()
  readonly #released = deferred<void>()
  readonly #sessionId: string
  #wasHeld = false
  /** The id under which the conversation continues after /clear or /branch. */
  #as: string

  constructor(env: Environment, sessionId: string) {
    this.#sessionId = sessionId
    this.#as = sessionId
    void this.#watch(daemonEvents(env, '', this.#gone.signal))
  }

  /**
   * Waits until Iris has released the conversation of an ended claude, 5 s at most. Returns lines that say what Iris
   * did.
   */
  async ended(): Promise<readonly string[]> {
    const cancelTimer = systemClock.after(noticedMs, () => this.#released.resolve())
    await this.#released.promise
    cancelTimer()
    if (!this.#wasHeld) return ['No messages were waiting, so Iris did not check whether you had it open.']
    if (this.#as === this.#sessionId) return ['Iris has it back. What you said is part of the conversation.']
    return [`Iris has it back, and continues where you left off (${this.#as}).`]
  }

  stop(): void {
    this.#gone.abort()
  }

  async #watch(events: AsyncIterable<StreamEvent>): Promise<void> {
    for await (const event of events) {
      if (event.type === 'session-held' && event.sessionId === this.#sessionId) {
        this.#wasHeld = true
        this.#as = event.as
      }
      if (event.type === 'session-released' && this.#wasHeld) this.#released.resolve()
    }
  }
}
