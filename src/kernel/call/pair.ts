import type { z } from 'zod'
import type { SessionInput } from '../../base/operation/pair.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { mainThread, type Pair } from '../../base/protocol/pair.ts'
import type { Config } from '../../platform/config/config.ts'
import { knownTeam } from '../accept/admission.ts'
import type { SessionHandles } from '../accept/session-handle.ts'
import { askerOf, mustMayAsk, threadFor } from './asker.ts'
import type { Call } from './call.ts'

/** The dependencies of these operations. */
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
