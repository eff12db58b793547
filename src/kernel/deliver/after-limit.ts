import { afterLimit } from '../../claude/driver/envelope.ts'
import type { OwnText } from '../recover/own-text.ts'
import type { OrchestratorParts } from '../recover/parts.ts'
import type { Plan } from '../recover/recovery.ts'
import type { Session } from '../session/session.ts'
import type { Turn } from '../turn/turn.ts'
import type { Verdict } from '../turn/verdict.ts'

/**
 * If the account's limit or login stopped the turn, returns the delivery that continues the turn later. Otherwise the
 * turn fails as judged.
 */
export function continuedAfterLimit(
  turn: Turn,
  verdict: Verdict,
  session: Session,
  { seams: { accounts }, newId }: Pick<OrchestratorParts, 'seams' | 'newId'>,
): Extract<Plan, { kind: 'deliver' }> | undefined {
  accounts.judged(session.to, verdict)
  const isOfAccount = verdict.reason === 'api_rate_limited' || verdict.reason === 'api_auth'
  if (!isOfAccount || accounts.of(session.to) === undefined) return undefined
  const { message, responseSchema } = turn.facts
  const schema = turn.value === undefined ? responseSchema : null
  const words = (isKnown: boolean) => afterLimit(session, message, schema, isKnown)
  const text: OwnText = { request: 'limit', words }
  return { kind: 'deliver', why: 'continue', uuid: newId(), text }
}
