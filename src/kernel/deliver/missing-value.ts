import { valueReminder } from '../../claude/driver/envelope.ts'
import type { Ledger } from '../../platform/store/ledger.ts'
import type { OwnText } from '../recover/own-text.ts'
import type { OrchestratorParts } from '../recover/parts.ts'
import type { Plan } from '../recover/recovery.ts'
import type { Session } from '../session/session.ts'
import type { JudgedValue } from '../turn/message-contracts.ts'
import type { Turn } from '../turn/turn.ts'
import type { Verdict } from '../turn/verdict.ts'

/** How many times the model may try again after a refused value, before the turn fails. */
const maxRetries = 2

const noValue = 'The turn ended without a call to return_value.'

/** Whether the model may give another value after this many refusals. */
export function mayTryAgain(refusals: number): boolean {
  return refusals <= maxRetries
}

/** The running turn, with the methods that record its values. */
interface OwingTurn extends Pick<Turn, 'id' | 'value' | 'valueRefusals'> {
  valueRefused(errors: readonly string[]): void
  valueTaken(json: string): void
}

/** Commits a value for a running turn, before its agent learns that it was accepted. Returns the value's state. */
export function takeValue(turn: OwingTurn, judged: JudgedValue, ledger: Ledger): 'taken' | 'refused' {
  if (turn.value !== undefined) return 'taken'
  if (!mayTryAgain(turn.valueRefusals.length)) return 'refused'
  if ('errors' in judged) {
    ledger.valueRefusals.add(turn.id, turn.valueRefusals.length, judged.errors)
    turn.valueRefused(judged.errors)
    return 'refused'
  }
  const json = JSON.stringify(judged.value)
  ledger.giveValue(turn.id, json)
  turn.valueTaken(json)
  return 'taken'
}

/** The errors of a turn that completed without the value that its ask wants. Undefined for all other turns. */
function lackOf(turn: Turn, { outcome }: Pick<Verdict, 'outcome'>): readonly string[] | undefined {
  const owes = outcome === 'completed' && turn.facts.responseSchema !== null && turn.value === undefined
  return owes ? [noValue] : undefined
}

/**
 * Returns the delivery that reminds the model of a missing value. Undefined if no value is missing, or if no retries
 * are left. Calls `refused` to count the failed try.
 */
export function reminder(
  turn: Turn,
  end: Verdict,
  session: Session,
  { ledger, newId }: Pick<OrchestratorParts, 'ledger' | 'newId'>,
  refused: (lack: readonly string[]) => void,
): Extract<Plan, { kind: 'deliver' }> | undefined {
  const { message, responseSchema: schema } = turn.facts
  const lack = lackOf(turn, end)
  if (schema === null || lack === undefined || !mayTryAgain(turn.valueRefusals.length)) return undefined
  ledger.valueRefusals.add(turn.id, turn.valueRefusals.length, lack)
  refused(lack)
  if (!mayTryAgain(turn.valueRefusals.length)) return undefined
  const words = (isKnown: boolean) => valueReminder(session, message, schema, lack, isKnown)
  const text: OwnText = { request: 'value', words }
  return { kind: 'deliver', why: 'continue', uuid: newId(), text }
}

/** Fails a turn that still lacks its value. The turn's answer becomes the partial response. */
export function withoutValue(turn: Turn, end: Verdict): Verdict {
  if (lackOf(turn, end) === undefined) return end
  const errors = turn.valueRefusals.map((each, index) => `Try ${index + 1}: ${each.join('; ')}`).join(' ')
  const detail = `The answer does not match the requested schema. ${errors} The partial response has the agent's text. Explain in the message what the value means, or use a wider schema.`
  return { ...end, outcome: 'failed', reason: 'schema_unmet', detail, answer: null, partial: end.answer }
}
