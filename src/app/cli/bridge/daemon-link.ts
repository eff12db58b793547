import { setTimeout as delay } from 'node:timers/promises'
import type { FoundDaemon } from '../find-daemon.ts'

export interface LinkParts {
  /** Finds the daemon; starts one when none runs. */
  readonly ensure: () => Promise<FoundDaemon>
  /** Finds the daemon, if it runs. */
  readonly find: () => Promise<FoundDaemon | undefined>
}

const lookAgainMs = 1000

/** The daemon that all requests of a bridge share; simultaneous requests search for it once. */
export class DaemonLink {
  readonly #parts: LinkParts
  #looking: Promise<FoundDaemon> | undefined
  #found: FoundDaemon | undefined

  constructor(parts: LinkParts) {
    this.#parts = parts
  }

  /**
   * The daemon that was found last. If that daemon was lost, searches again, and starts a daemon if none is running.
   */
  current(): Promise<FoundDaemon> {
    if (this.#found) return Promise.resolve(this.#found)
    this.#looking ??= this.#look()
    return this.#looking
  }

  /** Waits until a daemon runs, without starting one. Throws when the signal aborts. */
  async whenRunning(signal: AbortSignal): Promise<FoundDaemon> {
    while (this.#found === undefined) {
      const found = await this.#parts.find()
      if (found) return found
      await delay(lookAgainMs, undefined, { signal })
    }
    return this.#found
  }

  /** Forgets this daemon, which no longer answers, unless a new one was found in the meantime. */
  lost(daemon: FoundDaemon): void {
    if (this.#found === daemon) this.#found = undefined
  }

  async #look(): Promise<FoundDaemon> {
    try {
      this.#found = await this.#parts.ensure()
      return this.#found
    } finally {
      this.#looking = undefined
    }
  }
}
