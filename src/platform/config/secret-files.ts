import { resolve } from 'node:path'
import type { Config } from './config.ts'
import { type Environment, expandTilde } from './home.ts'

/** The files with passwords and tokens that config.yaml names, or named for a team that is no longer in it, as absolute paths. */
export function secretFiles(
  { home, cluster, channels, settings, teams, formerTeams }: Config,
  env: Environment,
): readonly string[] {
  const ofChannels = [...channels.values()].flatMap(({ tokenFile, appTokenFile }) => [tokenFile, appTokenFile])
  const ofTeams = [...formerTeams.values(), ...teams.values()].map(({ account }) => account?.tokenFile)
  return [cluster?.credentials, settings.account?.tokenFile, ...ofChannels, ...ofTeams].flatMap((path) =>
    path === undefined ? [] : [resolve(home, expandTilde(path, env))],
  )
}
