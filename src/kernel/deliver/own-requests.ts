import { type OwnRequest, requestEnding } from '../../claude/driver/endings.ts'
import type { OrchestratorParts } from '../recover/parts.ts'
import type { Plan } from '../recover/recovery.ts'
import type { Turn } from '../turn/turn.ts'
import { ended, type Verdict } from '../turn/verdict.ts'
import type { Judged } from './delivery-verdict.ts'

/** What Iris asked for with this delivery; undefined: it was the message itself. */
export function requestOf(
  turn: Pick<Turn, 'id'>,
  plan: Plan | { readonly kind: 'goOn' },
  ledger: Pick<OrchestratorParts['ledger'], 'deliveriesOf'>,
): OwnRequest | undefined {
  if (plan.kind === 'deliver') return plan.text?.request
  // A former daemon gave it. The agent may have begun before, and why it was asked again is not recorded.
  return ledger.deliveriesOf(turn.id).length > 1 ? 'interruption' : undefined
}

/**
 * The verdict where a hook kept Iris's request from an agent that was given the message before; undefined for others.
 * `cutOff` ends a turn whose tools may have had their effect.
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
