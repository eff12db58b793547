import { realpathSync } from 'node:fs'
import { irisHome } from '../../../platform/config/home.ts'
import { loadConfig } from '../../../platform/config/load.ts'
import { teamOfDirectory } from '../../../platform/config/team-of-directory.ts'
import type { CommandContext } from '../context.ts'
import { processTag } from '../inside-agent.ts'

/**
 * The sender of a message without `--from`: the team of this directory, as in the bridge; undefined: `external`. In the
 * directory of `toTeam` itself the sender is the person. Inside an agent the daemon knows the sender. The default gives
 * no right that `--from` does not give.
 */
export async function usualSpeaker(context: CommandContext, toTeam: string): Promise<string | undefined> {
  if (context.env[processTag]) return undefined
  // The daemon reports mistakes in config.yaml.
  const config = await loadConfig({ home: irisHome(context.env), env: context.env }).catch(() => undefined)
  const name = config && teamOfDirectory(config.teams, here(context))?.name
  return name === toTeam ? undefined : name
}

function here(context: CommandContext): string {
  try {
    return realpathSync(context.cwd)
  } catch {
    return '/'
  }
}

export function speakerText(team: string): string {
  return `You speak as ${team}, the team of this directory. With "--from external" you speak as yourself.`
}
