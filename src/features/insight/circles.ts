import type { RecordedAsk, RecordedUse } from '../../platform/store/recording.ts'
import { contentWords, similarity } from './words.ts'

/** An agent that went in circles. */
export interface Circle {
  readonly team: string
  readonly turn: string
  /** `tools`: the same tools with the same input, in a row. `asks`: an ask that led to the same ask again. */
  readonly kind: 'tools' | 'asks'
  /** The tools of one round, or the message; cut. */
  readonly what: string
  readonly rounds: number
}

const maxRound = 4
/** Repeating one tool is often right, for example a build that is tried again. */
const minRounds = 4
const maxUsesOfATurn = 5000
const textLength = 200

/** Finds repetitions of tools. Reads the uses of tools turn by turn. */
export class ToolCircles {
  readonly #found: Circle[] = []
  #uses: RecordedUse[] = []

  add(use: RecordedUse): void {
    if (this.#uses[0] !== undefined && this.#uses[0].turn !== use.turn) this.#end()
    if (this.#uses.length < maxUsesOfATurn) this.#uses.push(use)
  }

  found(): readonly Circle[] {
    this.#end()
    return this.#found.toSorted((one, other) => other.rounds - one.rounds || one.turn.localeCompare(other.turn))
  }

  #end(): void {
    const uses = this.#uses.toSorted((one, other) => one.startedAt - other.startedAt)
    this.#uses = []
    const circle = longestCircle(uses.map(({ name, hash }) => `${name} ${hash}`))
    if (circle === undefined) return
    const round = uses.slice(circle.begin, circle.begin + circle.length)
    const what = round.map(({ name, input }) => `${name} ${input}`.trim()).join(', ')
    const { turn, team } = uses[0]!
    this.#found.push({ team, turn, kind: 'tools', what: what.slice(0, textLength), rounds: circle.rounds })
  }
}

/** The part of the row that repeats the same few tools most often, in the same order. */
function longestCircle(row: readonly string[]) {
  let longest: { begin: number; length: number; rounds: number } | undefined
  for (let length = 1; length <= maxRound; length++) {
    let same = 0
    for (let index = length; index <= row.length; index++) {
      if (index < row.length && row[index] === row[index - length]) {
        same += 1
        continue
      }
      const rounds = 1 + Math.floor(same / length)
      if (rounds >= minRounds && rounds > (longest?.rounds ?? 0)) {
        longest = { begin: index - same - length, length, rounds }
      }
      same = 0
    }
  }
  return longest
}

const sameQuestion = 0.8
const maxAbove = 50

/**
 * Finds asks that have the same ask from the same team above them in their tree. Reads asks in the order of their
 * acceptance.
 */
export class AskCircles {
  readonly #asks = new Map<string, RecordedAsk & { readonly rounds: number }>()
  readonly #found = new Map<string, Circle>()

  add(ask: RecordedAsk): void {
    let above = ask.parent === null ? undefined : this.#asks.get(ask.parent)
    let rounds = 1
    for (let step = 0; above !== undefined && step < maxAbove; step++) {
      if (above.to === ask.to && above.from === ask.from && isSame(above.message, ask.message)) {
        rounds = above.rounds + 1
        this.#found.delete(above.id)
        const what = ask.message.slice(0, textLength)
        this.#found.set(ask.id, { team: ask.from, turn: ask.id, kind: 'asks', what, rounds })
        break
      }
      above = above.parent === null ? undefined : this.#asks.get(above.parent)
    }
    this.#asks.set(ask.id, { ...ask, message: ask.message.slice(0, 500), rounds })
  }

  found(): readonly Circle[] {
    return [...this.#found.values()].toSorted((one, other) => other.rounds - one.rounds)
  }
}

function isSame(one: string, other: string): boolean {
  if (one.slice(0, 500) === other.slice(0, 500)) return true
  return similarity(contentWords(one), contentWords(other)) >= sameQuestion
}
