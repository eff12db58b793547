import { IrisError } from '../../base/protocol/error.ts'
import { external } from '../../base/protocol/party.ts'
import { knownTeam } from '../../core/orchestrator/admission.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Caller } from './call.ts'

/** Who asks. A connection that speaks for a party decides; only one that speaks for nobody may name a team. */
export function fromParty(caller: Caller, fromTeam: string | undefined, config: Config): string {
  if (caller.party !== undefined) {
    if (fromTeam === undefined || fromTeam === caller.party) return caller.party
    throw new IrisError(
      'from_mismatch',
      `This connection speaks for "${caller.party}", not for "${fromTeam}".`,
      'Leave fromTeam out: Iris knows who is asking.',
    )
  }
  if (fromTeam === undefined || fromTeam === external) return external
  knownTeam(fromTeam, config)
  return fromTeam
}
