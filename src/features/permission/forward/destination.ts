import type { Config, TeamConfig } from '../../../platform/config/config.ts'
import { workingTeam } from '../../../platform/config/former-teams.ts'

type ForwardTo = NonNullable<TeamConfig['forwardTo']>
/** An endpoint. Questions for chats do not come here: features/channels sends them. */
export type Destination = Pick<ForwardTo, 'format' | 'private' | 'proxy'> & {
  readonly url: string
  readonly secret: string
}

/**
 * Where questions of this team are forwarded now. Undefined if they are not forwarded; signed answers are then refused
 * too.
 */
export function destinationOf(config: Config, name: string): Destination | undefined {
  const team = workingTeam(config, name)
  if (team?.grantPermission !== 'forward') return undefined
  const { url, secret, format, private: mayBePrivate, proxy } = team.forwardTo ?? config.settings.forwardTo ?? {}
  if (url === undefined || secret === undefined || format === undefined) return undefined
  return { url, secret, format, private: mayBePrivate, ...(proxy && { proxy }) }
}

/** The only part of an address that Iris shows: the addresses of chats are secrets. */
export function hostOf({ url }: Destination): string {
  return new URL(url).host
}
