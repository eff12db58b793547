import { resolve } from 'node:path'
import type { Config } from './config.ts'
import { type Environment, expandTilde } from './home.ts'

/**
 * The absolute paths of the files with passwords and tokens that config.yaml names, including those of former teams.
 */
export function secretFiles(
  { home, cluster, callbacks, channels, triggers, settings, teams, formerTeams, insight }: Config,
  env: Environment,
): readonly string[] {
  const ofChannels = [...channels.values()].flatMap(({ tokenFile, appTokenFile }) => [tokenFile, appTokenFile])
  const allTeams = [...formerTeams.values(), ...teams.values()]
  const ofTeams = allTeams.map(({ account }) => account?.tokenFile)
  const forwards = [settings, ...allTeams].map(({ forwardTo }) => forwardTo?.proxy)
  const ofOthers = [...channels.values(), ...callbacks.values()].map(({ proxy }) => proxy)
  const proxies = [insight.tracesProxy, ...ofOthers, ...forwards]
  const ofCallbacks = [...callbacks.values()].flatMap(({ secretFile }) => secretFile)
  const ofProxies = proxies.map((proxy) => proxy?.passwordFile)
  const ofTriggers = [...triggers.values()].flatMap(({ secretFile }) => secretFile)
  return [
    cluster?.credentials,
    settings.account?.tokenFile,
    ...ofChannels,
    ...ofTriggers,
    ...ofTeams,
    ...ofProxies,
    ...ofCallbacks,
  ].flatMap((path) => (path === undefined ? [] : [resolve(home, expandTilde(path, env))]))
}
