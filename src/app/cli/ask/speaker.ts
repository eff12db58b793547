import { realpathSync } from 'node:fs'
import { teamOfDirectory } from '../../../platform/config/team-of-directory.ts'
import { call } from '../call.ts'
import type { CommandContext } from '../context.ts'
import { processTag } from '../inside-agent.ts'

/**
 * The sender of a message without `--from`: the team of this directory, as in the bridge, or undefined for `external`.
 * In the directory of `toTeam` itself, the sender is the person. Inside an agent, the daemon determines the sender.
 * This default gives nobody a right that `--from` would not give.
 */
export async function usualSpeaker(context: CommandContext, toTeam: string): Promise<string | undefined> {
  if (context.env[processTag]) return undefined
  const name = await teamHere(context)
  return name === toTeam ? undefined : name
}

/** The team of this directory, as in the bridge. */
export async function teamHere(context: CommandContext): Promise<string | undefined> {
  // Reads the configuration in force, as the bridge does, because config.yaml may have errors by now.
  const { teams } = await call(context, 'list_teams', {})
  // Uses the recorded real paths, not where the paths lead now, because an agent can replace its directory with a link
  // to another team's directory.
  const places = teams.flatMap(({ name, config: { path = '', realPath = path, host } }) =>
    path !== '' && host === undefined ? [[name, { name, realPath }] as const] : [],
  )
  return teamOfDirectory(new Map(places), realPathOf(context.cwd))?.name
}

/** The real path, or the path itself if it leads nowhere. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

export function speakerText(team: string): string {
  return `You speak as ${team}, the team of this directory. Use --from you to speak as yourself.`
}
