import { type Config, frozenMap, type TeamConfig } from './config.ts'

/** By what a team works: its settings, or, for one that has been removed, those it had last. */
export function workingTeam({ teams, formerTeams }: Config, name: string): TeamConfig | undefined {
  return teams.get(name) ?? formerTeams.get(name)
}

/** The next configuration, with the teams that are missing from it as former ones. */
export function succeeding(before: Config, next: Config): Config {
  const known = [...before.formerTeams, ...before.teams]
  return Object.freeze({ ...next, formerTeams: frozenMap(known.filter(([name]) => !next.teams.has(name))) })
}
