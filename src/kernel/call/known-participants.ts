import { external } from '../../base/protocol/pair.ts'
import type { Config } from '../../platform/config/config.ts'
import type { SessionList } from '../../platform/store/session-list.ts'
import { knownTeam } from '../accept/admission.ts'

/** The dependencies of `knownParticipants`. */
export interface KnownParticipantsParts {
  readonly config: () => Config
  readonly sessionList: SessionList
}

/**
 * Checks names that only filter a list. An unknown name would match nothing and look like an empty list, so it throws
 * `unknown_team`. Teams that were removed from the configuration are still known from their conversations.
 */
export function knownParticipants(
  names: readonly (string | undefined)[],
  { config, sessionList }: KnownParticipantsParts,
): void {
  for (const name of names) {
    if (name === undefined || name === external || config().formerTeams.has(name)) continue
    if (!config().teams.has(name) && !sessionList.hasParticipant(name)) knownTeam(name, config())
  }
}
