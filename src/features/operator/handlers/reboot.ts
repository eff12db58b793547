import type { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import { pairText } from '../../../base/protocol/pair.ts'
import type { Call } from '../../../kernel/call/call.ts'
import { type PairParts, pairOf } from '../../../kernel/call/pair.ts'
import type { sessionReboot } from '../../conversations/contract/sessions.ts'

/** The dependencies of these operations. */
export interface RebootParts extends PairParts {
  readonly clock: Clock
}

type Input = z.output<typeof sessionReboot.input>

/** session_reboot: archives the old conversation; resolves when a process is ready for a new one. */
export async function reboot(
  input: Input,
  call: Call,
  parts: RebootParts,
): Promise<z.output<typeof sessionReboot.output>> {
  const { sessions, clock } = parts
  const began = clock.elapsed()
  const pair = await pairOf(input, call, parts)
  const { sessionId, movedTurns, left } = await sessions
    .of(pair)
    .startOver({ force: input.force === true }, call.signal)
  const [cancelledTurnId] = left?.cancelled ?? []
  return {
    ...pair,
    hadPreviousSession: left !== undefined,
    ...(left && { oldSessionId: left.sessionId }),
    newSessionId: sessionId,
    processTerminated: left?.hadProcess === true,
    ...(cancelledTurnId !== undefined && { cancelledTurnId }),
    movedTurns,
    message: left
      ? `${pairText(pair)} has started over; the old conversation is archived, its transcripts are kept.`
      : `${pairText(pair)} had no conversation; one has been opened.`,
    duration: clock.elapsed() - began,
    timestamp: clock.now(),
  }
}
