import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/home.ts'
import type { LiveConfig } from '../../platform/config/live-config.ts'
import { loadConfig } from '../../platform/config/load.ts'
import { ConfigError } from '../../platform/config/problem.ts'
import { ConfigWatch } from '../../platform/config/watch.ts'

export interface ReloadParts {
  readonly home: string
  readonly env: Environment
  readonly live: LiveConfig
  readonly clock: Clock
  readonly log: Log
  readonly publish: (event: IrisEvent) => void
  /** Parts that keep something from the former configuration, and must read it again. */
  readonly affected: readonly { settingsChanged(): void }[]
}

/** Logs what the new configuration cannot use; everything else in it works. */
export function warnOfUnusable(config: Config, before: Config | undefined, log: Log): void {
  const known = new Set(before?.unusable.map(({ what }) => what))
  for (const { what, remedy } of config.unusable) if (!known.has(what)) log.warn(`${what} ${remedy}`)
}

/** Puts config.yaml in force whenever it is saved. A file that cannot be used is reported and changes nothing. */
export class Reload {
  readonly #parts: ReloadParts
  readonly #watch: ConfigWatch
  #due = false
  #reading: Promise<void> | undefined
  #ended = false

  constructor(parts: ReloadParts) {
    this.#parts = parts
    const { home, clock, log, live } = parts
    live.readBy(() => this.#look())
    this.#watch = new ConfigWatch({
      home,
      clock,
      onChange: () => void this.#look(),
      onTrouble: (directory, error) =>
        log.warn(`changes to config.yaml may go unnoticed until Iris restarts: ${String(error)}`, {
          directory,
        }),
    })
    // The file may have been saved after the start had read it and before the watch began.
    void this.#look()
  }

  end(): void {
    this.#ended = true
    this.#watch.end()
  }

  /** Reads one version at a time; a change meanwhile is read next. */
  #look(): Promise<void> {
    this.#due = true
    this.#reading ??= this.#readAll()
    return this.#reading
  }

  async #readAll(): Promise<void> {
    while (this.#due) {
      this.#due = false
      await this.#read()
    }
    this.#reading = undefined
  }

  async #read(): Promise<void> {
    const { home, env, live } = this.#parts
    try {
      const next = await loadConfig({ home, env, mustExist: live.current().teams.size > 0 })
      if (!this.#ended) this.#apply(next)
    } catch (error) {
      // The system has reported the save whose content was just read, but the event loop may not have processed that
      // report yet.
      await new Promise((resolve) => setImmediate(resolve))
      // If a save is in progress, the next reading decides.
      if (!this.#ended && !this.#watch.isSettling) this.#reject(error)
    }
  }

  #apply(next: Config): void {
    const { live, publish, affected } = this.#parts
    const before = live.current()
    const changes = live.replace(next)
    if (changes === undefined) return
    warnOfUnusable(next, before, this.#parts.log)
    const { needsRestart } = live
    for (const part of affected) part.settingsChanged()
    publish({ type: 'config-reloaded', ...changes, needsRestart })
  }

  #reject(error: unknown): void {
    const { live, publish } = this.#parts
    const text = error instanceof Error ? error.message : String(error)
    const problems = error instanceof ConfigError ? error.problems : []
    const isNew = live.reject(`${text}\n\nUntil it is fixed, Iris keeps using the previous configuration.`, problems)
    if (!isNew) return
    publish({ type: 'config-rejected', problems, text })
  }
}
