import type { z } from 'zod'
import { IrisError } from '../../base/protocol/error.ts'
import type { SessionInput } from '../../base/protocol/operations/pair.ts'
import { mainThread, type Pair, pairText } from '../../base/protocol/party.ts'
import { knownTeam } from '../../core/orchestrator/admission.ts'
import type { Session } from '../../core/session/session.ts'
import type { Call, Domain } from './call.ts'
import { fromParty } from './from-party.ts'

/** The conversation a call is about. Throws for a team that is not known and never was spoken to. */
export function pairOf(input: z.output<typeof SessionInput>, call: Call, { config, sessions }: Domain): Pair {
  const { team = input.toTeam, toTeam = team } = input
  if (team === undefined || team !== toTeam) {
    throw new IrisError(
      'invalid_input',
      team === undefined ? 'No team was named.' : `team says "${team}", toTeam says "${toTeam}".`,
      'Name the team that answers (team).',
    )
  }
  const pair = { from: fromParty(call.caller, input.fromTeam, config()), to: team, thread: input.thread ?? mainThread }
  // A conversation with a team that has left the config can still be looked at and ended.
  if (sessions.find(pair) === undefined) knownTeam(team, config())
  return pair
}

/** A person has the conversation open, and nobody said that it may be ended under their hands. Throws `session_held`. */
export function notHeld(session: Session | undefined, { takeOvers }: Domain): void {
  const pid = session && takeOvers.holderOf(session)
  if (pid === undefined) return
  throw new IrisError(
    'session_held',
    `A person has this conversation open in a terminal (process ${pid}).`,
    'Ask again when it is closed there, or use force: true: what is said there then no longer belongs to the pair.',
  )
}

/** A turn is under way for the pair, and nobody said that it may be cut off. */
export function busy(pair: Pair, turnId: string, orForce: string): IrisError {
  return new IrisError(
    'process_busy',
    `${pair.to} is working on turn ${turnId} in ${pairText(pair)}.`,
    `Wait until it has ended, or use force: true to ${orForce}.`,
  )
}
