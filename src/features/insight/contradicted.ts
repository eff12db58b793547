import type { RecordedAnswer } from '../../platform/store/recording.ts'
import { contentWords, similarity } from './words.ts'

/** Two answers to one question that name different things. */
export interface Contradiction {
  readonly earlier: RecordedAnswer
  readonly later: RecordedAnswer
  /** The files or numbers that each answer names; the two answers share none. */
  readonly said: readonly string[]
  readonly saidLater: readonly string[]
}

/** Questions that are less similar than this may correctly have different answers. */
const sameQuestion = 0.75
/** A question about how to change something is a different question from one about what it is. */
const actions = [
  'chang',
  'add',
  'remov',
  'delet',
  'renam',
  'fix',
  'creat',
  'updat',
  'writ',
  'replac',
  'migrat',
] as const

const kinds = ['paths', 'numbers'] as const
type Facts = Readonly<Record<(typeof kinds)[number], ReadonlySet<string>>>

/**
 * The latest answer that contradicts the one before it. Only file names and numbers count: two answers contradict each
 * other if both name files and share none, or if both name numbers and share none.
 */
export function contradictionIn(answers: readonly RecordedAnswer[]): Contradiction | undefined {
  const inOrder = answers.toSorted((one, other) => one.answeredAt - other.answeredAt)
  for (let index = inOrder.length - 1; index > 0; index--) {
    const [earlier, later] = [inOrder[index - 1]!, inOrder[index]!]
    if (!isSameQuestion(earlier.message, later.message)) continue
    const [before, after] = [factsOf(earlier.answer), factsOf(later.answer)]
    const kind = kinds.find((each) => before[each].size > 0 && after[each].size > 0 && !meet(before[each], after[each]))
    if (kind !== undefined) return { earlier, later, said: [...before[kind]], saidLater: [...after[kind]] }
  }
  return undefined
}

function isSameQuestion(one: string, other: string): boolean {
  const [words, others] = [contentWords(one), contentWords(other)]
  return (
    similarity(words, others) >= sameQuestion && actions.every((action) => words.has(action) === others.has(action))
  )
}

const maxFacts = 20

function factsOf(answer: string): Facts {
  const paths = new Set<string>()
  const numbers = new Set<string>()
  for (const [word] of answer.matchAll(/[\p{L}\p{N}_@~./-]+/gu)) {
    const plain = word.replace(/^[.@-]+(?=[\p{L}\p{N}])|[./-]+$/gu, '').toLowerCase()
    if (/^\d+(?:\.\d+)?$/.test(plain)) numbers.add(plain)
    else if (/\p{L}[^/]*\/\p{L}|^[\w-]+\.[a-z]{1,4}$/u.test(plain)) paths.add(plain)
  }
  // A line number moves with every change to its file, so it is no fact.
  for (const [, line] of answer.matchAll(/\.[a-z]{1,4}:(\d+)/g)) numbers.delete(line!)
  return { paths: first(paths), numbers: first(numbers) }
}

function first(words: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...words].slice(0, maxFacts))
}

function meet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return [...one].some((word) => other.has(word))
}
