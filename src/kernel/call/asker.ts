import { IrisError } from '../../base/protocol/error.ts'
import { external } from '../../base/protocol/pair.ts'
import { isRoleThread, roleThread } from '../../base/protocol/role.ts'
import type { Config } from '../../platform/config/config.ts'
import { knownTeam } from '../accept/admission.ts'
import type { AuthContext } from './call.ts'
import { isNamed } from './policy.ts'

/**
 * Throws `not_allowed` if a program with its own token asks a team that the token does not name, whether or not the
 * team exists.
 */
export function mustMayAsk({ principal: { id, asks } }: Pick<AuthContext, 'principal'>, ...teams: string[]): void {
  const refused = asks && teams.find((team) => !asks.includes(team))
  if (refused === undefined) return
  throw new IrisError(
    'not_allowed',
    `The token of ${id} may not ask "${refused}".`,
    `It may ask: ${asks!.join(', ')}. The owner can make another token with "iris token create".`,
  )
}

/** The thread of a conversation that a call names. If the caller's token has a role, that is the role's thread. */
export function threadFor({ principal }: Pick<AuthContext, 'principal'>, thread: string): string {
  const { limitedTo } = principal
  return !isNamed(principal) || limitedTo === undefined || isRoleThread(thread) ? thread : roleThread(limitedTo, thread)
}

/**
 * Returns the asker. A call may name a team only if its connection identifies none. Throws `from_mismatch` and
 * `unknown_team`.
 */
export function askerOf(auth: AuthContext, named: string | undefined, config: Config): string {
  // Some clients send every argument, with an empty text for those that were not given.
  const fromTeam = named === '' ? undefined : named
  if (auth.team !== undefined) {
    if (fromTeam === undefined || fromTeam === auth.team) return auth.team
    throw new IrisError(
      'from_mismatch',
      `This connection acts for "${auth.team}", not for "${fromTeam}".`,
      'Leave fromTeam out: Iris knows who is asking.',
    )
  }
  if (fromTeam === undefined || fromTeam === external) return external
  knownTeam(fromTeam, config)
  return fromTeam
}
