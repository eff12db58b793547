import type { RecordedAsk } from '../../platform/store/recording.ts'
import { contentWords, similarity } from './words.ts'

/** One question that a team was asked again and again. */
export interface Repeated {
  readonly to: string
  readonly askers: readonly string[]
  readonly times: number
  /** The first wording, cut. */
  readonly message: string
  readonly firstAt: number
  readonly lastAt: number
  /** The latest turns, the newest first. */
  readonly turns: readonly string[]
}

interface Question {
  readonly words: ReadonlySet<string>
  readonly message: string
  readonly firstAt: number
  readonly askers: Set<string>
  lastAt: number
  times: number
  turns: string[]
}

/** Two messages that are less similar than this are two questions. */
export const minSimilarity = 0.6
/** A message with fewer words than this says too little: "go on", "thanks". */
const minWords = 2
/** If a word occurs in more questions than this, it no longer distinguishes them, and is not looked up. */
const maxWithWord = 100
const messageLength = 200
export const namedTurns = 5

/** The questions to one team. Each message joins the first question that is similar enough, or begins a new one. */
class Questions {
  readonly all: Question[] = []
  readonly #withWord = new Map<string, Question[]>()
  readonly #mostTurns: number

  constructor(mostTurns: number) {
    this.#mostTurns = mostTurns
  }

  add({ id, from, message, acceptedAt }: RecordedAsk): void {
    const words = contentWords(message)
    if (words.size < minWords) return
    const same = this.#similar(words)
    if (same === undefined) {
      const cut = message.slice(0, messageLength)
      const times = { firstAt: acceptedAt, lastAt: acceptedAt, times: 1 }
      return this.#begin({ words, message: cut, ...times, askers: new Set([from]), turns: [id] })
    }
    same.askers.add(from)
    same.lastAt = acceptedAt
    same.times += 1
    same.turns = [id, ...same.turns].slice(0, this.#mostTurns)
  }

  #begin(question: Question): void {
    this.all.push(question)
    for (const word of question.words) {
      const others = this.#withWord.get(word)
      if (others === undefined) this.#withWord.set(word, [question])
      else if (others.length <= maxWithWord) others.push(question)
    }
  }

  /**
   * The oldest question that is similar enough, so that only the order of the messages decides. Similar questions share
   * so many words that they share one of the rarest ones, so only questions with those are looked up.
   */
  #similar(words: ReadonlySet<string>): Question | undefined {
    const withWord = [...words].map((word) => this.#withWord.get(word) ?? [])
    const enough = words.size - Math.ceil(minSimilarity * words.size) + 1
    const rarest = withWord.sort((one, other) => one.length - other.length).slice(0, enough)
    const looked = new Set(rarest.flatMap((others) => (others.length > maxWithWord ? [] : others)))
    let oldest: Question | undefined
    for (const other of looked) {
      if (oldest !== undefined && other.firstAt >= oldest.firstAt) continue
      if (similarity(words, other.words) >= minSimilarity) oldest = other
    }
    return oldest
  }
}

/** Reads asks in the order of their acceptance. */
export class RepeatedQuestions {
  readonly #ofTeam = new Map<string, Questions>()
  readonly #leastTimes: number
  readonly #mostTurns: number

  /** `mostTurns`: how many turns of each question are named. */
  constructor(leastTimes = 3, mostTurns = namedTurns) {
    this.#leastTimes = leastTimes
    this.#mostTurns = mostTurns
  }

  add(ask: RecordedAsk): void {
    const questions = this.#ofTeam.get(ask.to) ?? new Questions(this.#mostTurns)
    this.#ofTeam.set(ask.to, questions)
    questions.add(ask)
  }

  /** The most frequent question first. */
  found(): readonly Repeated[] {
    return [...this.#ofTeam]
      .flatMap(([to, { all }]) =>
        all
          .filter(({ times }) => times >= this.#leastTimes)
          .map(({ message, times, firstAt, lastAt, turns, askers }) => ({
            to,
            message,
            times,
            firstAt,
            lastAt,
            turns,
            askers: [...askers].sort(),
          })),
      )
      .sort((one, other) => other.times - one.times || other.lastAt - one.lastAt || one.to.localeCompare(other.to))
  }
}
