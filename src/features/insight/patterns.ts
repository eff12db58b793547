import type { Recording } from '../../platform/store/recording.ts'
import { type Chain, type FailingPair, PairHabits } from './pairs.ts'
import { type Peak, PeakHours } from './peaks.ts'
import { type Repeated, RepeatedQuestions } from './repeated.ts'
import { AllowedQuestions, type AlwaysAllowed, type SlowTool, SlowTools } from './tool-figures.ts'

/** Recurring patterns in a period. The same recording gives the same patterns, in the same order. */
export interface Patterns {
  /** How much was read. */
  readonly read: { readonly asks: number; readonly tools: number; readonly questions: number }
  readonly repeated: readonly Repeated[]
  readonly chains: readonly Chain[]
  readonly failing: readonly FailingPair[]
  readonly peaks: readonly Peak[]
  readonly slowTools: readonly SlowTool[]
  readonly alwaysAllowed: readonly Omit<AlwaysAllowed, 'questions'>[]
}

/** The maximum number of patterns of each kind. */
const maxOfAKind = 50

/** Reads a recording once. No model is asked. */
export function findPatterns(
  recording: Pick<Recording, 'asks' | 'tools' | 'questions'>,
  { offsetMinutes }: { readonly offsetMinutes: number },
): Patterns {
  const [repeated, pairs, peaks] = [new RepeatedQuestions(), new PairHabits(), new PeakHours(offsetMinutes)]
  const [slow, allowed] = [new SlowTools(), new AllowedQuestions()]
  const read = {
    asks: each(recording.asks(), repeated, pairs, peaks),
    tools: each(recording.tools(), slow),
    questions: each(recording.questions(), allowed),
  }
  const some = <Found>(found: readonly Found[]): readonly Found[] => found.slice(0, maxOfAKind)
  return {
    read,
    repeated: some(repeated.found()),
    chains: some(pairs.chains()),
    failing: some(pairs.failing()),
    peaks: peaks.found(),
    slowTools: some(slow.found()),
    alwaysAllowed: some(allowed.found()).map(({ questions: _questions, ...kind }) => kind),
  }
}

function each<Row>(rows: Iterable<Row>, ...readers: readonly { readonly add: (row: Row) => void }[]): number {
  let count = 0
  for (const row of rows) {
    count += 1
    for (const reader of readers) reader.add(row)
  }
  return count
}
