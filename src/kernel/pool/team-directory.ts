import { IrisError } from '../../base/protocol/error.ts'
import type { Config, TeamConfig } from '../../platform/config/config.ts'
import { workingTeam } from '../../platform/config/former-teams.ts'
import type { Machines } from '../../platform/machine/machine.ts'

/** Throws `team_directory_missing` if the directory cannot be used, as far as Iris knows. */
export function refuseUnusable({ unusable }: Pick<TeamConfig, 'unusable'>, problem?: string): void {
  if (unusable === undefined) return
  const { what, remedy } = unusable
  const stale = problem === undefined ? '' : ` Iris cannot look again: ${problem}`
  throw new IrisError('team_directory_missing', `${what}${stale}`, remedy)
}

/** Throws `team_directory_missing`. */
export async function mustHaveDirectory(team: TeamConfig, name: string, machines: Machines): Promise<void> {
  const { realPath, remote } = team
  refuseUnusable(team)
  if (await machines.of(name).project.exists()) return
  throw new IrisError(
    'team_directory_missing',
    `The directory of team "${name}" ${remote === undefined ? 'no longer exists' : `does not exist (${remote})`}: ${realPath}.`,
    "Restore it, or correct the team's path in config.yaml.",
  )
}

export interface TeamDirectoriesParts {
  readonly config: () => Config
  readonly machines: Machines
  /** Reads config.yaml again. This also looks up where the paths of all teams lead. */
  readonly reread: () => Promise<void>
  /** Why config.yaml is not in force. Undefined if it is. */
  readonly problem: () => string | undefined
}

/** Follows the paths of teams. They may contain links, so their targets may change at any time. */
export class TeamDirectories {
  readonly #parts: TeamDirectoriesParts
  /** By team: the real path in the configuration that is in force, and the identity of the directory there. */
  readonly #known = new Map<string, { readonly realPath: string; readonly identity: string }>()

  constructor(parts: TeamDirectoriesParts) {
    this.#parts = parts
  }

  /**
   * Identifies the directory to which the team's path currently leads, and brings the configuration up to date. Costs
   * one disk access if nothing has changed. Resolves to undefined if there is no directory, or if the team is on
   * another machine. Throws `team_directory_missing` if the configuration cannot follow the path, or the directory
   * cannot be used.
   */
  readonly of = async (name: string): Promise<string | undefined> => {
    const { config, machines, reread } = this.#parts
    // The directory may exist again. This is checked only when the directory is needed, so a network drive that is gone
    // costs nothing in the meantime.
    if (workingTeam(config(), name)?.unusable !== undefined) await reread()
    const team = workingTeam(config(), name)
    if (team === undefined) return undefined
    refuseUnusable(team, this.#parts.problem())
    const { project } = machines.of(name)
    const identity = await project.identity()
    const known = this.#known.get(name)
    if (identity === undefined || (known?.identity === identity && known.realPath === team.realPath)) return identity
    const leadsTo = await project.realPath()
    if (leadsTo === undefined) return undefined
    if (leadsTo !== team.realPath) await reread()
    const now = workingTeam(config(), name)
    if (now !== undefined) refuseUnusable(now)
    if (leadsTo !== now?.realPath) throw this.#cannotFollow(name, team, leadsTo)
    this.#known.set(name, { realPath: leadsTo, identity })
    return identity
  }

  #cannotFollow(name: string, { path, realPath }: TeamConfig, leadsTo: string): IrisError {
    const why = this.#parts.problem() ?? 'It was changed while Iris read config.yaml.'
    return new IrisError(
      'team_directory_missing',
      `The path of team "${name}", ${path}, now leads to ${leadsTo} instead of ${realPath}. Iris cannot use that directory: ${why}`,
      'Correct the path or config.yaml, then ask again.',
    )
  }
}
