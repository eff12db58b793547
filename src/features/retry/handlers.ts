import type { z } from 'zod'
import { IrisError } from '../../base/protocol/error.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import { isFailure } from '../../base/protocol/standing.ts'
import type { TurnResult } from '../../base/protocol/turn.ts'
import type { Call } from '../../kernel/call/call.ts'
import { namedTurn, unknownTurn } from '../../kernel/call/named-turn.ts'
import { statusOf } from '../../kernel/call/turn-model.ts'
import type { LastTurns } from '../../platform/store/last-turns.ts'
import type { SessionTurns } from '../../platform/store/session-turns.ts'
import { collect, type MessagesParts } from '../messages/handlers/messages.ts'
import type { dismissFailure, retryMessage } from './contract.ts'

/** The dependencies of these operations. */
export interface RetryParts extends MessagesParts {
  readonly publish: (event: IrisEvent) => void
  readonly sessionTurns: SessionTurns
  readonly lastTurns: LastTurns
}

type RetryInput = z.output<typeof retryMessage.input>
type DismissInput = z.output<typeof dismissFailure.input>
type DismissOutput = z.output<typeof dismissFailure.output>

/** retry_message: returns the new turn, or the one that an earlier retry began. */
export async function retry(
  { turnId, evenInDoubt = false }: RetryInput,
  call: Call,
  parts: RetryParts,
): Promise<TurnResult> {
  const id = known(turnId, call, parts)
  const turn = await parts.turns.retry(id, evenInDoubt)
  return collect(turn, { timeout: -1, raw: false }, call, parts)
}

/** dismiss_failure: marks the failure of a turn as dismissed. Throws `invalid_input` when the turn has not failed. */
export function dismiss({ turnId }: DismissInput, call: Call, parts: RetryParts): DismissOutput {
  const id = known(turnId, call, parts)
  const row = parts.sessionTurns.turn(id)!
  if (!isFailure({ status: statusOf(row) })) {
    const remedy = 'Only a message that failed can be put aside.'
    throw new IrisError('invalid_input', `The message ${id} has not failed.`, remedy)
  }
  parts.lastTurns.dismiss(id, parts.clock.now())
  const { from, to, thread, sessionId } = parts.sessions.rowOf(row.session)
  parts.publish({ type: 'failure-dismissed', turnId: id, from, to, thread, sessionId })
  return { turnId: id }
}

function known(named: string, call: Call, parts: RetryParts): string {
  const id = namedTurn(named, parts)
  if (parts.sessionTurns.turn(id) !== undefined) return id
  throw unknownTurn(`There is no turn ${named}.`, named, 'Use the id of a message.', call, parts)
}
