import type { RecordedAnswer, RecordedCost, Recording } from '../../platform/store/recording.ts'
import { AskCircles, type Circle, ToolCircles } from './circles.ts'
import { type Contradiction, contradictionIn } from './contradicted.ts'
import { minSimilarity, type Repeated, RepeatedQuestions } from './repeated.ts'
import type { DecidedSuggestion } from './rows/suggestions.ts'
import { AllowedQuestions, type AlwaysAllowed } from './tool-figures.ts'
import { contentWords, similarity } from './words.ts'

/** A question that was asked at least twice, with the latest answer to it. */
export interface AskedTwice extends Repeated {
  readonly answer: RecordedAnswer
}

/** Suggestions for changes, based on a period. The same recording gives the same suggestions. */
export interface Reflection {
  readonly read: { readonly asks: number; readonly uses: number; readonly questions: number }
  readonly askedTwice: readonly AskedTwice[]
  /** Each rule would have answered all of its questions. */
  readonly rules: readonly (AlwaysAllowed & { readonly rule: string })[]
  readonly costly: readonly (RecordedCost & { readonly share: number })[]
  readonly contradicted: readonly (Contradiction & Pick<Repeated, 'to' | 'message'>)[]
  readonly circles: readonly Circle[]
  /** For each applied suggestion: how often its question has been asked since. */
  readonly askedSince: Readonly<Record<string, number>>
}

/** The maximum number of suggestions of each kind. */
const most = 20
/** How many turns of a question are named, and how many of their answers are compared. */
const namedTurns = 50

type Recorded = Pick<Recording, 'asks' | 'uses' | 'questions' | 'answers' | 'costs'>

/** Reads a recording once. Does not suggest again what a person has decided. No model is asked. */
export function reflect(recording: Recorded, decided: readonly DecidedSuggestion[]): Reflection {
  const [repeated, asks, uses, allowed] = [
    new RepeatedQuestions(2, namedTurns),
    new AskCircles(),
    new ToolCircles(),
    new AllowedQuestions(),
  ]
  const since = new AskedSince(decided)
  const read = { asks: 0, uses: 0, questions: 0 }
  for (const ask of recording.asks()) {
    read.asks += 1
    for (const reader of [repeated, asks, since]) reader.add(ask)
  }
  for (const use of recording.uses()) {
    read.uses += 1
    uses.add(use)
  }
  for (const question of recording.questions()) {
    read.questions += 1
    allowed.add(question)
  }
  const known = new Decided(decided)
  const answered = repeated.found().map((each) => ({ ...each, answers: recording.answers(each.turns) }))
  const askedTwice = answered.flatMap(({ answers, ...each }) => {
    const answer = answers.at(-1)
    return answer === undefined || known.has('claude-md', each.to, each.message) ? [] : [{ ...each, answer }]
  })
  const rules = allowed.found().flatMap(({ rule, ...each }) => {
    return rule === undefined || known.has('rule', each.team, each.tool) ? [] : [{ ...each, rule }]
  })
  const contradicted = answered.flatMap(({ to, message, answers }) => {
    const found = contradictionIn(answers)
    return found === undefined ? [] : [{ to, message, ...found }]
  })
  const costs = recording.costs()
  const total = costs.reduce((sum, { costUsd }) => sum + costUsd, 0)
  return {
    read,
    askedTwice: askedTwice.slice(0, most),
    rules: rules.slice(0, most),
    costly: costs.slice(0, most).map((cost) => ({ ...cost, share: cost.costUsd / total })),
    contradicted: contradicted.slice(0, most),
    circles: [...asks.found(), ...uses.found()].slice(0, most),
    askedSince: since.counts,
  }
}

/** Two wordings of one question are the same suggestion. */
class Decided {
  readonly #decided: readonly (DecidedSuggestion & { readonly words: ReadonlySet<string> })[]

  constructor(decided: readonly DecidedSuggestion[]) {
    this.#decided = decided.map((each) => ({ ...each, words: contentWords(each.subject) }))
  }

  has(kind: DecidedSuggestion['kind'], team: string, subject: string): boolean {
    const words = contentWords(subject)
    return this.#decided.some(
      (each) =>
        each.kind === kind &&
        each.team === team &&
        (each.subject === subject || (kind === 'claude-md' && similarity(words, each.words) >= minSimilarity)),
    )
  }
}

class AskedSince {
  readonly counts: Record<string, number> = {}
  readonly #applied: readonly (DecidedSuggestion & { readonly words: ReadonlySet<string> })[]

  constructor(decided: readonly DecidedSuggestion[]) {
    this.#applied = decided
      .filter(({ kind, decision }) => kind === 'claude-md' && decision === 'applied')
      .map((each) => ({ ...each, words: contentWords(each.subject) }))
    for (const { id } of this.#applied) this.counts[id] = 0
  }

  add({ to, message, acceptedAt }: { readonly to: string; readonly message: string; readonly acceptedAt: number }) {
    const applied = this.#applied.filter(({ team, decidedAt }) => team === to && acceptedAt > decidedAt)
    if (applied.length === 0) return
    const words = contentWords(message)
    for (const { id, words: asked } of applied) {
      if (similarity(words, asked) >= minSimilarity) this.counts[id]! += 1
    }
  }
}
