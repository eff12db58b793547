import { setTimeout as delay } from 'node:timers/promises'
import type { FoundDaemon } from '../find-daemon.ts'

export interface LinkParts {
  /** Finds the daemon, starting one when none runs. */
  readonly ensure: () => Promise<FoundDaemon>
  /** Finds it, if it runs. */
  readonly find: () => Promise<FoundDaemon | undefined>
}

const lookAgainMs = 1000

/** The daemon as all calls of a bridge see it: looked for once when many need it. */
export class DaemonLink {
  readonly #parts: LinkParts
  #looking: Promise<FoundDaemon> | undefined
  #found: FoundDaemon | undefined

  constructor(parts: LinkParts) {
    this.#parts = parts
  }

  /** The daemon found last, unless that one was lost; else a new one, started when none runs. */
  current(): Promise<FoundDaemon> {
    if (this.#found) return Promise.resolve(this.#found)
    this.#looking ??= this.#look()
    return this.#looking
  }

  /** The same without starting any: waits until somebody else has. */
  async whenRunning(signal: AbortSignal): Promise<FoundDaemon> {
    while (this.#found === undefined) {
      const found = await this.#parts.find()
      if (found) return found
      await delay(lookAgainMs, undefined, { signal })
    }
    return this.#found
  }

  /** This one does not answer any more. Another may have been found meanwhile. */
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
