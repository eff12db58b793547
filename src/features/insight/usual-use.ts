import type { Pair } from '../../base/protocol/pair.ts'
import { pairKey } from '../../kernel/session/session.ts'
import type { RecordedTimes } from '../../platform/store/recording.ts'
import { estimatedMsPerMessage, type Gaps, noGaps, sumOf, withGap } from './gaps.ts'

/** How a conversation is used. Times are milliseconds; `lastAt` since the epoch. */
export interface Use {
  readonly lastAt: number
  /** Between two messages, newer ones counting more. */
  readonly gaps: Gaps
  /** From the delivery of a message to its end, newer ones counting more. */
  readonly answerMs?: number
}

/** For a conversation that has never answered. */
const unknownAnswerMs = 60_000
const shareOfNew = 0.3
/** The factor by which each new gap reduces the earlier ones: of the conversation itself, and of all together. */
const [decayOfOwn, decayOfAll] = [0.98, 0.999]
/** Conversations; those used longest ago are forgotten. */
const most = 10_000

/** The usual times of each conversation: how often it is asked, and how long an answer takes. */
export class UsualUse {
  readonly #uses = new Map<string, Use>()
  #gaps: Gaps = noGaps

  /** A message was accepted. */
  asked(pair: Pair, at: number): void {
    const key = pairKey(pair)
    const former = this.#uses.get(key)
    this.#uses.delete(key)
    if (former === undefined) this.#uses.set(key, { lastAt: at, gaps: noGaps })
    else {
      const gap = at - former.lastAt
      this.#uses.set(key, { ...former, lastAt: at, gaps: withGap(former.gaps, gap, decayOfOwn) })
      this.#gaps = withGap(this.#gaps, gap, decayOfAll)
    }
    if (this.#uses.size > most) this.#uses.delete(this.#uses.keys().next().value!)
  }

  answered(pair: Pair, tookMs: number): void {
    const use = this.#uses.get(pairKey(pair))
    if (use) this.#uses.set(pairKey(pair), { ...use, answerMs: mixed(use.answerMs, tookMs) })
  }

  /** See `UsualTimes` in session/seams.ts. All conversations supply what is unknown about this one. */
  msPerMessage(pair: Pair, now: number, unusedMs: number): number {
    const { gaps, lastAt } = this.#uses.get(pairKey(pair)) ?? { gaps: noGaps, lastAt: now - unusedMs }
    return estimatedMsPerMessage(gaps, this.#gaps, this.#uses.size, now - lastAt)
  }

  answerMs(pair: Pair): number {
    return this.#uses.get(pairKey(pair))?.answerMs ?? unknownAnswerMs
  }

  all(): [string, Use][] {
    return [...this.#uses]
  }

  /** Adopts what was learnt, for conversations of which nothing is known yet. */
  learn(learnt: Iterable<[string, Use]>): void {
    const known = [...this.#uses]
    this.#uses.clear()
    for (const [key, use] of [...learnt, ...known]) this.#uses.set(key, use)
    this.#gaps = sumOf([...this.#uses.values()].map(({ gaps }) => gaps))
  }
}

/** Computes the usual times from a recording, oldest message first. */
export function usesIn(recorded: Iterable<RecordedTimes>): [string, Use][] {
  const use = new UsualUse()
  const lastEnds = new Map<string, number>()
  for (const { acceptedAt, answeredAt, ...pair } of recorded) {
    use.asked(pair, acceptedAt)
    if (answeredAt === null) continue
    // A message waits for the one before it; this is no part of its answer.
    const key = pairKey(pair)
    use.answered(pair, answeredAt - Math.max(acceptedAt, lastEnds.get(key) ?? 0))
    lastEnds.set(key, answeredAt)
  }
  return use.all()
}

function mixed(former: number | undefined, newest: number): number {
  return former === undefined ? newest : (1 - shareOfNew) * former + shareOfNew * newest
}
