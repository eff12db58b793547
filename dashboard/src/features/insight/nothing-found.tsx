import type { Output } from '../../shared/api/operations.ts'
import { habitsIn } from './habits.tsx'
import { texts } from './texts.ts'

/** The results of each query; undefined while it is loading. */
interface FoundSoFar {
  readonly reflection: Output<'reflect'> | undefined
  readonly patterns: Output<'find_patterns'> | undefined
  readonly drift: Output<'list_drift'> | undefined
  readonly healings: Output<'list_healings'> | undefined
}

/** The kinds of findings that Iris looked for in vain, in one sentence. */
export function NothingFound(found: FoundSoFar) {
  const kinds = emptyKinds(found)
  if (kinds.length === 0) return null
  return <p className="text-muted order-last">{texts.nothingWasFound(kinds.join(', '), kinds.length)}</p>
}

function emptyKinds({ reflection, patterns, drift, healings }: FoundSoFar): readonly string[] {
  const kinds: readonly (readonly [title: string, found: readonly unknown[] | undefined])[] = [
    ...(reflection?.isOn ? suggestionsOf(reflection) : []),
    [texts.habits, patterns?.isOn ? habitsIn(patterns) : undefined],
    [texts.answersOutOfDate, drift?.isOn ? drift.changed : undefined],
    [texts.faults, healings?.isOn ? healings.healings : undefined],
  ]
  return kinds.flatMap(([title, found]) => (found?.length === 0 ? [title] : []))
}

const suggestionsOf = ({ askedTwice, rules, costly, contradicted, circles }: Output<'reflect'>) =>
  [
    [texts.askedRepeatedly, askedTwice],
    [texts.rulesThatWouldHaveSaved, rules],
    [texts.mostExpensivePairs, costly],
    [texts.answersThatContradict, contradicted],
    [texts.goingInCircles, circles],
  ] as const
