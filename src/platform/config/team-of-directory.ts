import type { TeamConfig } from './config.ts'
import { isInside } from './is-inside.ts'

/** The innermost team on this machine that contains `directory`, an absolute real path; undefined if none does. */
export function teamOfDirectory<Team extends Pick<TeamConfig, 'realPath'> & Partial<Pick<TeamConfig, 'remote'>>>(
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
