import type { ConfigProblem } from '../../base/protocol/config-problem.ts'
import { type ConfigChanges, changesBetween, needingRestart } from './changes.ts'
import type { Config } from './config.ts'
import { succeeding } from './former-teams.ts'

/** The configuration in force and, while the file is not in force, the problem with the file. */
export class LiveConfig {
  readonly #started: Config
  #inForce: Config
  #problem: string | undefined
  #mistakes: readonly ConfigProblem[] = []
  #read = async (): Promise<void> => {}

  constructor(started: Config) {
    this.#started = started
    this.#inForce = started
  }

  /** Call it for each decision, because the configuration may change. */
  readonly current = (): Config => this.#inForce

  /** Why the file is not in force, as a text for people; undefined if it is. */
  readonly problem = (): string | undefined => this.#problem

  /** While the file is not in force: its mistakes, in file order; empty if it cannot be read at all. */
  readonly mistakes = (): readonly ConfigProblem[] => this.#mistakes

  /** Keys whose new value takes effect only at the next start. */
  get needsRestart(): readonly string[] {
    return needingRestart(this.#started, this.#inForce)
  }

  /** Reads the file again, as after a save, because a team's path may lead elsewhere by now. */
  readonly reread = (): Promise<void> => this.#read()

  readBy(read: () => Promise<void>): void {
    this.#read = read
  }

  /** Puts a configuration in force. Returns the changes; undefined if there are none and no problem was solved. */
  replace(next: Config): ConfigChanges | undefined {
    const changes = changesBetween(this.#inForce, next)
    if (this.#problem === undefined && Object.values(changes).every((names) => names.length === 0)) return undefined
    this.#inForce = succeeding(this.#inForce, next)
    this.#problem = undefined
    this.#mistakes = []
    return changes
  }

  /** Keeps the configuration in force. Returns whether the problem is new. */
  reject(problem: string, mistakes: readonly ConfigProblem[] = []): boolean {
    const isNew = problem !== this.#problem
    this.#problem = problem
    this.#mistakes = mistakes
    return isNew
  }
}
