import { realpathSync } from 'node:fs'
import { type Environment, irisHome } from '../../../platform/config/home.ts'
import { loadConfig } from '../../../platform/config/load.ts'
import { teamOfDirectory } from '../../../platform/config/team-of-directory.ts'
import { processTag } from '../inside-agent.ts'

/**
 * As whom a message is sent that names nobody: as the team of this directory, as the bridge there does; undefined: as
 * `external`. A team that is asked in its own directory is asked by its person. Inside an agent the daemon knows the sender.
 * It gives no right that `--from` does not give.
 */
export async function usualSpeaker(env: Environment, toTeam: string): Promise<string | undefined> {
  if (env[processTag]) return undefined
  // Mistakes are the daemon's to tell, and a directory that is gone is no team's.
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
