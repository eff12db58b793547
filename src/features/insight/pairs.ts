import type { Outcome } from '../../base/protocol/turn.ts'
import type { RecordedAsk } from '../../platform/store/recording.ts'
import { namedTurns } from './repeated.ts'

/** A habit: after `from` asks `to`, `to` usually asks `next`. */
export interface Chain {
  readonly from: string
  readonly to: string
  readonly next: string
  /**
   * `times`: how many asks from `from` to `to` led to an ask to `next`. `asks`: how many asks from `from` to `to` there
   * were.
   */
  readonly times: number
  readonly asks: number
  /** The latest asks that led to an ask to `next`, the newest first. */
  readonly turns: readonly string[]
}

export interface FailingPair {
  readonly from: string
  readonly to: string
  readonly failed: number
  /** Messages that ended as completed or failed; cancelled ones do not count. */
  readonly ended: number
  /** The most frequent reason. */
  readonly reason: string | null
  readonly turns: readonly string[]
}

interface Ends {
  readonly from: string
  readonly to: string
  ended: number
  readonly failed: string[]
  readonly reasons: Map<string, number>
}

const minChains = 3
const minChainShare = 0.3
const minFailures = 3
/** A pair counts as failing if, with 95 % confidence, at least this share of its messages fail. */
const minFailing = 0.2

const failures: readonly Outcome[] = ['failed', 'timed_out', 'in_doubt']

/** Finds the habits of pairs. Reads asks in order of acceptance. */
export class PairHabits {
  readonly #asks = new Map<string, { readonly from: string; readonly to: string }>()
  readonly #askCounts = new Map<string, number>()
  /** For each pair whose ask came first, the teams that were asked next, with the asks that led to this. */
  readonly #led = new Map<string, Map<string, string[]>>()
  readonly #ends = new Map<string, Ends>()

  add({ id, from, to, parent, outcome, reason }: RecordedAsk): void {
    const pair = keyOf(from, to)
    this.#asks.set(id, { from, to })
    this.#askCounts.set(pair, (this.#askCounts.get(pair) ?? 0) + 1)
    const asker = parent === null ? undefined : this.#asks.get(parent)
    if (asker !== undefined && parent !== null) this.#lead(keyOf(asker.from, asker.to), to, parent)
    if (outcome === null || outcome === 'cancelled') return
    const ends: Ends = this.#ends.get(pair) ?? { from, to, ended: 0, failed: [], reasons: new Map() }
    this.#ends.set(pair, ends)
    ends.ended += 1
    if (!failures.includes(outcome)) return
    ends.failed.push(id)
    ends.reasons.set(reason ?? outcome, (ends.reasons.get(reason ?? outcome) ?? 0) + 1)
  }

  #lead(pair: string, next: string, turn: string): void {
    const led = this.#led.get(pair) ?? new Map<string, string[]>()
    this.#led.set(pair, led)
    const turns = led.get(next) ?? []
    led.set(next, turns)
    // If a turn asks the same team twice, it counts once.
    if (turns.at(-1) !== turn) turns.push(turn)
  }

  chains(): readonly Chain[] {
    const chains = [...this.#led].flatMap(([pair, led]) => {
      const [from, to] = JSON.parse(pair) as [string, string]
      const asks = this.#askCounts.get(pair) ?? 0
      return [...led].map(([next, turns]) => ({ from, to, next, times: turns.length, asks, turns: latest(turns) }))
    })
    return chains
      .filter(({ times, asks }) => times >= minChains && times / asks >= minChainShare)
      .sort(
        (one, other) => other.times - one.times || keyOf(one.from, one.to).localeCompare(keyOf(other.from, other.to)),
      )
  }

  failing(): readonly FailingPair[] {
    return [...this.#ends.values()]
      .filter(({ failed, ended }) => failed.length >= minFailures && lowerBound(failed.length, ended) >= minFailing)
      .map(({ from, to, ended, failed, reasons }) => {
        const [reason = null] = [...reasons].sort((one, other) => other[1] - one[1])[0] ?? []
        return { from, to, failed: failed.length, ended, reason, turns: latest(failed) }
      })
      .sort(
        (one, other) => other.failed - one.failed || keyOf(one.from, one.to).localeCompare(keyOf(other.from, other.to)),
      )
  }
}

function keyOf(from: string, to: string): string {
  return JSON.stringify([from, to])
}

function latest(turns: readonly string[]): readonly string[] {
  return turns.slice(-namedTurns).reverse()
}

/** The lower end of the 95 % Wilson interval for a share: a few cases prove little. */
export function lowerBound(cases: number, of: number): number {
  const z = 1.96
  const share = cases / of
  const middle = share + (z * z) / (2 * of)
  const spread = z * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of))
  return Math.max(0, (middle - spread) / (1 + (z * z) / of))
}
