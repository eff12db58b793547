import type { Config, TeamConfig } from '../../platform/config/config.ts'
import { workingTeam } from '../../platform/config/former-teams.ts'

export type Destination = NonNullable<TeamConfig['forwardTo']>

/** Where questions of this team are forwarded now. Undefined: nowhere, and then signed answers are refused, too. */
export function destinationOf(config: Config, name: string): Destination | undefined {
  const team = workingTeam(config, name)
  if (team?.grantPermission !== 'forward') return undefined
  return team.forwardTo ?? config.settings.forwardTo
}

/** The only part of an address that Iris shows: the addresses of chats are secrets. */
export function hostOf({ url }: Destination): string {
  return new URL(url).host
}
