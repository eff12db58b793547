import { realpathSync } from 'node:fs'
import { type Environment, irisHome } from '../../../platform/config/home.ts'
import { loadConfig } from '../../../platform/config/load.ts'
import { teamOfDirectory } from '../../../platform/config/team-of-directory.ts'
import { processTag } from '../inside-agent.ts'

/**
 * The sender of a message without `--from`: the team of this directory, as in the bridge; undefined: `external`. In the
 * directory of `toTeam` itself the sender is the person. Inside an agent the daemon knows the sender. The default gives
 * no right that `--from` does not give.
 */
export async function usualSpeaker(env: Environment, toTeam: string): Promise<string | undefined> {
  if (env[processTag]) return undefined
  // The daemon reports mistakes in config.yaml.
  const config = await loadConfig({ home: irisHome(env), env }).catch(() => undefined)
  const name = config && teamOfDirectory(config.teams, here())?.name
  return name === toTeam ? undefined : name
}

function here(): string {
  try {
    return realpathSync('.')
  } catch {
    return '/'
  }
}

export function speakerText(team: string): string {
  return `You speak as ${team}, the team of this directory. With "--from external" you speak as yourself.`
}
