import type { MissingServer } from '../../base/agent/run-result.ts'
import type { Clock } from '../../base/lib/clock.ts'
import type { Observable } from '../../base/lib/subject.ts'
import { boundedProblems } from '../../claude/driver/setup-report.ts'
import type { SetupProblem } from '../../features/teams/contract.ts'
import type { ProcessRows } from '../../platform/store/process-rows.ts'
import type { Session } from '../session/session.ts'

export interface KnownSetup {
  /** Project files that Claude Code ignores, and servers that it could not start. Empty if there are none. */
  readonly problems: readonly SetupProblem[]
  /** When a process reported this, milliseconds since the epoch. */
  readonly asOf: number
}

export interface TeamSetupsParts {
  readonly clock: Pick<Clock, 'now'>
  readonly processRows: Pick<ProcessRows, 'missServers' | 'missingServersOf'>
}

/** A process's reports about its project's files: the problems, and the MCP servers that its agent lacks. */
interface SaidOfSetup {
  readonly setup$: Observable<readonly SetupProblem[]>
  readonly missing$: Observable<readonly MissingServer[]>
}

type Known = Pick<Session, 'to'> & { readonly row: Pick<Session['row'], 'id'> }

/** The reports of each team's processes about the project's files, and problems that only Iris finds. */
export class TeamSetups {
  readonly #parts: TeamSetupsParts
  /** By team, as reported by the team's last process that took a message. */
  readonly #known = new Map<string, KnownSetup>()

  constructor(parts: TeamSetupsParts) {
    this.#parts = parts
  }

  /**
   * Follows the reports of a process. `importsOf` reads the project's instructions. It is called once for this process,
   * during the model call, so that nobody waits for it.
   */
  learn(
    { to: team, row }: Known,
    { inquiries }: { readonly inquiries: SaidOfSetup },
    importsOf: () => Promise<readonly SetupProblem[]>,
  ): void {
    let reported: readonly SetupProblem[] = []
    let imports: readonly SetupProblem[] = []
    let reading: Promise<void> | undefined
    let latest: KnownSetup | undefined
    const note = (): void => {
      latest = { problems: boundedProblems([...reported, ...imports]), asOf: this.#parts.clock.now() }
      this.#known.set(team, latest)
    }
    inquiries.setup$.subscribe((problems) => {
      reported = problems
      note()
      reading ??= importsOf().then(
        (found) => {
          imports = found
          // If another process of the team has reported since then, the files are read for that process.
          if (this.#known.get(team) === latest) note()
        },
        // If the machine fails, the next process tries again.
        () => {},
      )
    })
    let missing = ''
    inquiries.missing$.subscribe((servers) => {
      const now = servers.length === 0 ? '' : JSON.stringify(servers)
      if (now === missing) return
      missing = now
      this.#parts.processRows.missServers(row.id, servers)
    })
  }

  /** Undefined if no process of the team has taken a message since Iris started. */
  of(team: string): KnownSetup | undefined {
    return this.#known.get(team)
  }

  /** The MCP servers that the last process of a session did not have, even if that was an earlier daemon's process. */
  missingIn({ row }: { readonly row: Pick<Session['row'], 'id'> }): readonly MissingServer[] {
    return this.#parts.processRows.missingServersOf(row.id)
  }
}
