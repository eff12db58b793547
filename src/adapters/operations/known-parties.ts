import { external } from '../../base/protocol/party.ts'
import { knownTeam } from '../../core/orchestrator/admission.ts'
import type { Domain } from './call.ts'

/**
 * Names that only narrow a list. One that Iris never heard of fits nothing, which would look as if there were nothing:
 * throws `unknown_team`. Teams that have left the configuration are known by their conversations.
 */
export function knownParties(names: readonly (string | undefined)[], { config, sessionList }: Domain): void {
  for (const name of names) {
    if (name === undefined || name === external || config().formerTeams.has(name)) continue
    if (!config().teams.has(name) && !sessionList.hasParty(name)) knownTeam(name, config())
  }
}
