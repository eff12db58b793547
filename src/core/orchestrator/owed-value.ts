import type { Turn } from '../../claude/turn/turn.ts'
import type { Verdict } from './verdict.ts'

/** How often what is wrong with its value is given back to the model; after that the turn fails. */
const tries = 2

const noValue = 'The turn ended without a call of return_value.'

/** Whether a model that gave so many values that were not taken may give another one. */
export function mayTryAgain(refusals: number): boolean {
  return refusals <= tries
}

/** What a turn lacks that asks for a value and ended without one; undefined: nothing. */
export function lackOf(turn: Turn, { outcome }: Pick<Verdict, 'outcome'>): readonly string[] | undefined {
  const owes = outcome === 'completed' && turn.facts.responseSchema !== null && turn.value === undefined
  return owes ? [noValue] : undefined
}

/** The end of a turn that owes a value and gets no more tries: what it said stands in the partial response. */
export function withoutValue(turn: Turn, end: Verdict): Verdict {
  if (lackOf(turn, end) === undefined) return end
  const errors = turn.valueRefusals.map((each, index) => `Try ${index + 1}: ${each.join('; ')}`).join(' ')
  const detail = `The answer does not meet the schema of the ask. ${errors} What was said is in the partial response.`
  return { ...end, outcome: 'failed', reason: 'schema_unmet', detail, answer: null, partial: end.answer }
}
