import type { z } from 'zod'
import type { SessionInput } from '../../base/operation/pair.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { mainThread, type Pair } from '../../base/protocol/pair.ts'
import type { Config } from '../../platform/config/config.ts'
import { knownTeam } from '../accept/admission.ts'
import type { SessionHandles } from '../accept/session-handle.ts'
import { askerOf, mustMayAsk, threadFor } from './asker.ts'
import type { Call } from './call.ts'
import { isNamed } from './policy.ts'

/** The dependencies of the functions in this file. */
export interface PairParts {
  readonly config: () => Config
  /** Conversations by their pairs. */
  readonly sessions: SessionHandles
}

/** The pair that a call names. Throws `unknown_team` for an unknown team without a conversation. */
export async function pairOf(
  input: z.output<typeof SessionInput>,
  call: Call,
  { config, sessions }: PairParts,
): Promise<Pair> {
  const { team = input.toTeam, toTeam = team } = input
  if (team === undefined || team !== toTeam) {
    throw new IrisError(
      'invalid_input',
      team === undefined ? 'No team was named.' : `team is "${team}", but toTeam is "${toTeam}".`,
      'Name the team that answers (team).',
    )
  }
  const thread = threadFor(call.auth, input.thread ?? mainThread)
  const pair = { from: askerOf(call.auth, input.fromTeam, config()), to: team, thread }
  // A conversation with a team that was removed from config.yaml can still be read and ended.
  if ((await sessions.of(pair).status()) !== undefined) return pair
  mustMayAsk(call.auth, team)
  knownTeam(team, config())
  return pair
}

/**
 * Like `pairOf`, but for a call that only reads. Such a call may also name the conversation of a program, trigger or
 * chat, whose asker is not a team. Lists show the names of these askers.
 */
export async function readPairOf(input: z.output<typeof SessionInput>, call: Call, parts: PairParts): Promise<Pair> {
  const { fromTeam, team = input.toTeam, thread = mainThread } = input
  const seesAll = call.auth.team === undefined && !isNamed(call.auth.principal)
  if (seesAll && fromTeam !== undefined && team !== undefined) {
    const pair = { from: fromTeam, to: team, thread }
    if ((await parts.sessions.of(pair).status()) !== undefined) return pair
    // A name with a colon is not a team's: this asker just has no conversation in that thread.
    if (fromTeam.includes(':')) {
      knownTeam(team, parts.config())
      return pair
    }
  }
  return pairOf(input, call, parts)
}
