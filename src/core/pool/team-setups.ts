import type { Clock } from '../../base/lib/clock.ts'
import type { SetupProblem } from '../../base/protocol/operations/teams.ts'
import type { ClaudeProcess } from '../../claude/driver/process.ts'

export interface KnownSetup {
  /** What Claude Code ignores of the project's files, or could not start; empty: nothing. */
  readonly problems: readonly SetupProblem[]
  /** When a process said so, milliseconds since the epoch. */
  readonly asOf: number
}

/** What each team's processes say of the project's files. */
export class TeamSetups {
  readonly #clock: Pick<Clock, 'now'>
  /** By team, as the last process reported that took a message. */
  readonly #known = new Map<string, KnownSetup>()

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  learn(team: string, { inquiries }: Pick<ClaudeProcess, 'inquiries'>): void {
    inquiries.setup$.subscribe((problems) => this.#known.set(team, { problems, asOf: this.#clock.now() }))
  }

  /** Undefined: no process of the team has taken a message since Iris started. */
  of(team: string): KnownSetup | undefined {
    return this.#known.get(team)
  }
}
