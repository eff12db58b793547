import { IrisError } from '../../base/protocol/error.ts'
import { external } from '../../base/protocol/pair.ts'
import type { Config } from '../../platform/config/config.ts'
import { knownTeam } from '../accept/admission.ts'
import type { AuthContext } from './call.ts'

/** The asker. Only a connection without a team may name a team. Throws `from_mismatch` and `unknown_team`. */
export function askerOf(auth: AuthContext, named: string | undefined, config: Config): string {
  // Some clients send every argument, and an empty text for one that is not given.
  const fromTeam = named === '' ? undefined : named
  if (auth.team !== undefined) {
    if (fromTeam === undefined || fromTeam === auth.team) return auth.team
    throw new IrisError(
      'from_mismatch',
      `This connection speaks for "${auth.team}", not for "${fromTeam}".`,
      'Leave fromTeam out: Iris knows who is asking.',
    )
  }
  if (fromTeam === undefined || fromTeam === external) return external
  knownTeam(fromTeam, config)
  return fromTeam
}
