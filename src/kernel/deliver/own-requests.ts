import { type OwnRequest, requestEnding } from '../../claude/driver/endings.ts'
import type { OrchestratorParts } from '../recover/parts.ts'
import type { Plan } from '../recover/recovery.ts'
import type { Turn } from '../turn/turn.ts'
import { ended, type Verdict } from '../turn/verdict.ts'
import type { Judged } from './delivery-verdict.ts'

/**
 * What Iris itself requests with this delivery, for example to continue after an interruption. Undefined if the
 * delivery is the message itself. With `continueRun`, a process already has the turn, often from an earlier daemon.
 */
export function requestOf(
  turn: Pick<Turn, 'id'>,
  plan: Plan | { readonly kind: 'continueRun' },
  ledger: Pick<OrchestratorParts['ledger'], 'deliveriesOf'>,
): OwnRequest | undefined {
  if (plan.kind === 'deliver') return plan.text?.request
  // An earlier daemon made this delivery. If it was not the first, the agent may have begun before, and the reason for
  // delivering again is not recorded.
  return ledger.deliveriesOf(turn.id).length > 1 ? 'interruption' : undefined
}

/**
 * The verdict if a hook blocked Iris's own request to an agent that already had the message. Otherwise undefined.
 * `cutOff` ends a turn whose tools may have taken effect.
 */
export async function blockedRequest(
  turn: Turn,
  end: Judged,
  request: OwnRequest | undefined,
  cutOff: (fault: Verdict) => Promise<Verdict>,
): Promise<Verdict | undefined> {
  if (request === undefined || end.kind !== 'result') return undefined
  const ending = requestEnding(end.result, end.signs, request)
  if (ending === undefined) return undefined
  const { usage } = end.result
  const fault = { ...ended('failed', ending.reason, ending.detail, turn.partialText), usage }
  const verdict = request === 'interruption' ? await cutOff(fault) : fault
  return verdict === fault ? { ...fault, detail: `${ending.detail} ${ending.remedy}` } : verdict
}
