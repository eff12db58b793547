import type { Pair } from '../../base/protocol/pair.ts'
import type { RecordedTimes } from '../../platform/store/recording.ts'
import { pairKey } from '../session/session.ts'

/** How a conversation is used. Times are milliseconds; `lastAt` since the epoch. */
export interface Use {
  readonly lastAt: number
  /** Between two messages, newer ones counting more. Absent: there was one message. */
  readonly gapMs?: number
  /** From the delivery of a message to its end, newer ones counting more. */
  readonly answerMs?: number
}

/** A conversation with one message is expected again after so long. */
const unknownGapMs = 7 * 86_400_000
/** Of a conversation that never answered. */
const unknownAnswerMs = 60_000
const shareOfNew = 0.3
/** Conversations; those used longest ago are forgotten. */
const most = 10_000

/** What is usual for each conversation: how often it is asked, and how long an answer takes. */
export class UsualUse {
  readonly #uses = new Map<string, Use>()

  /** A message was accepted. */
  asked(pair: Pair, at: number): void {
    const key = pairKey(pair)
    const { lastAt, gapMs, ...rest } = this.#uses.get(key) ?? {}
    const gap = lastAt === undefined ? undefined : mixed(gapMs, at - lastAt)
    this.#uses.delete(key)
    this.#uses.set(key, { ...rest, lastAt: at, ...(gap !== undefined && { gapMs: gap }) })
    if (this.#uses.size > most) this.#uses.delete(this.#uses.keys().next().value!)
  }

  answered(pair: Pair, tookMs: number): void {
    const use = this.#uses.get(pairKey(pair))
    if (use) this.#uses.set(pairKey(pair), { ...use, answerMs: mixed(use.answerMs, tookMs) })
  }

  /** When its next message is expected, milliseconds since the epoch. */
  expectedAt(pair: Pair): number {
    const use = this.#uses.get(pairKey(pair))
    return use === undefined ? 0 : use.lastAt + (use.gapMs ?? unknownGapMs)
  }

  answerMs(pair: Pair): number {
    return this.#uses.get(pairKey(pair))?.answerMs ?? unknownAnswerMs
  }

  all(): [string, Use][] {
    return [...this.#uses]
  }

  /** Takes what was learnt about conversations of which nothing is known yet. */
  learn(learnt: Iterable<[string, Use]>): void {
    const known = [...this.#uses]
    this.#uses.clear()
    for (const [key, use] of [...learnt, ...known]) this.#uses.set(key, use)
  }
}

/** What was usual in a recording, oldest message first. */
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
