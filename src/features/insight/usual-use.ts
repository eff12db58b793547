import type { Pair } from '../../base/protocol/pair.ts'
import { pairKey } from '../../kernel/session/session.ts'
import type { RecordedTimes } from '../../platform/store/recording.ts'
import { estimatedMsPerMessage, type Gaps, noGaps, sumOf, withGap } from './gaps.ts'

/** How a conversation is used. Times are in milliseconds; `lastAt` is since the epoch. */
export interface Use {
  readonly lastAt: number
  /** The times between two messages; newer ones count more. */
  readonly gaps: Gaps
  /** The time from the delivery of a message to its end; newer ones count more. */
  readonly answerMs?: number
}

/** The assumed time for a conversation that has never answered. */
const unknownAnswerMs = 60_000
const shareOfNew = 0.3
/**
 * The factors by which each new gap reduces the weight of earlier ones: of this conversation, and of all conversations.
 */
const [decayOfOwn, decayOfAll] = [0.98, 0.999]
/** The maximum number of conversations. The least recently used ones are forgotten. */
const most = 10_000

/** The usual times of each conversation: how often it is asked, and how long an answer takes. */
export class UsualUse {
  readonly #uses = new Map<string, Use>()
  #gaps: Gaps = noGaps

  /** Records that a message was accepted. */
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

  /**
   * See `UsualTimes` in session/seams.ts. What is unknown about this conversation is estimated from all conversations.
   */
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

  /** Adds what was learnt from the recording, except for conversations that are already known. */
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
    // The time in which a message waits for the previous one is not part of the time of its answer.
    const key = pairKey(pair)
    use.answered(pair, answeredAt - Math.max(acceptedAt, lastEnds.get(key) ?? 0))
    lastEnds.set(key, answeredAt)
  }
  return use.all()
}

function mixed(former: number | undefined, newest: number): number {
  return former === undefined ? newest : (1 - shareOfNew) * former + shareOfNew * newest
}
