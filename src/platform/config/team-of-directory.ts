import type { TeamConfig } from './config.ts'
import { isInside } from './inside.ts'

/** The team of this machine in whose directory `directory` lies, the innermost one; `directory` is an absolute real path. */
export function teamOfDirectory<Team extends Pick<TeamConfig, 'realPath' | 'remote'>>(
  teams: ReadonlyMap<string, Team>,
  directory: string,
): Team | undefined {
  let innermost: Team | undefined
  for (const team of teams.values()) {
    if (team.remote !== undefined || !isInside(team.realPath, directory)) continue
    if (innermost === undefined || team.realPath.length > innermost.realPath.length) innermost = team
  }
  return innermost
}
