import { external } from '../../base/protocol/pair.ts'
import { knownTeam } from '../orchestrator/admission.ts'
import type { Domain } from './call.ts'

/**
 * Checks names that only filter a list. An unknown name would match nothing and look like an empty list, so it throws
 * `unknown_team`. Teams that were removed from the configuration are known by their conversations.
 */
export function knownParticipants(names: readonly (string | undefined)[], { config, sessionList }: Domain): void {
  for (const name of names) {
    if (name === undefined || name === external || config().formerTeams.has(name)) continue
    if (!config().teams.has(name) && !sessionList.hasParticipant(name)) knownTeam(name, config())
  }
}
