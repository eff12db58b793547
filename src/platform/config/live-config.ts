import { type ConfigChanges, changesBetween, needingRestart } from './changes.ts'
import type { Config } from './config.ts'
import { succeeding } from './former-teams.ts'

/** The configuration in force, and what is wrong with the file while that says something else. */
export class LiveConfig {
  readonly #started: Config
  #inForce: Config
  #problem: string | undefined

  constructor(started: Config) {
    this.#started = started
    this.#inForce = started
  }

  /** To be asked anew for each decision. */
  readonly current = (): Config => this.#inForce

  /** For people: why the file, as it is now, is not in force. */
  readonly problem = (): string | undefined => this.#problem

  /** Keys whose new value waits for the next start. */
  get needsRestart(): readonly string[] {
    return needingRestart(this.#started, this.#inForce)
  }

  /** Puts it in force. Returns what that changes, or undefined if nothing, the file's problem included. */
  replace(next: Config): ConfigChanges | undefined {
    const changes = changesBetween(this.#inForce, next)
    if (this.#problem === undefined && Object.values(changes).every((names) => names.length === 0)) return undefined
    this.#inForce = succeeding(this.#inForce, next)
    this.#problem = undefined
    return changes
  }

  /** What is in force stays. Returns whether this problem is a new one. */
  reject(problem: string): boolean {
    const isNew = problem !== this.#problem
    this.#problem = problem
    return isNew
  }
}
