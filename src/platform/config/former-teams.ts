import { type Config, frozenMap, type TeamConfig } from './config.ts'

/**
 * The settings that apply to a team: its current ones or, for a removed team, its last ones; undefined for any other
 * name.
 */
export function workingTeam({ teams, formerTeams }: Config, name: string): TeamConfig | undefined {
  return teams.get(name) ?? formerTeams.get(name)
}

/** The next configuration; teams that are missing from it become former teams. */
export function succeeding(before: Config, next: Config): Config {
  const known = [...before.formerTeams, ...before.teams]
  return Object.freeze({ ...next, formerTeams: frozenMap(known.filter(([name]) => !next.teams.has(name))) })
}
