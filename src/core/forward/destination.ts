import type { Config, TeamConfig } from '../../platform/config/config.ts'
import { workingTeam } from '../../platform/config/former-teams.ts'

export type Destination = NonNullable<TeamConfig['forwardTo']>

/** Where questions of this team go now; undefined when they go nowhere: then nobody there may answer either. */
export function destinationOf(config: Config, name: string): Destination | undefined {
  const team = workingTeam(config, name)
  if (team?.grantPermission !== 'forward') return undefined
  return team.forwardTo ?? config.settings.forwardTo
}

/** All that is ever said of an address: those of chats are secrets. */
export function hostOf({ url }: Destination): string {
  return new URL(url).host
}
