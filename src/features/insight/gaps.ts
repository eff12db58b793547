/**
 * Counts of the times between two messages, by length: entry `n` counts gaps of at least 2ⁿ seconds, and less than the
 * next power of two.
 */
export type Gaps = readonly number[]

/** The longest class is 2²⁶ s, which is two years. */
const classCount = 26
/**
 * How much the average of all conversations weighs, in messages. It replaces a conversation's own habits while little
 * is known about them.
 */
const weightOfAll = 4
/**
 * How much the case that no next message comes weighs, in messages. Less than one, because most conversations continue.
 */
const weightOfNever = 0.3

export const noGaps: Gaps = Array<number>(classCount).fill(0)

/** Adds a gap, in milliseconds. Each earlier gap is multiplied by `decay`. */
export function withGap(gaps: Gaps, gapMs: number, decay: number): Gaps {
  const index = classOf(gapMs)
  return gaps.map((count, position) => count * decay + Number(position === index))
}

export function sumOf(all: Iterable<Gaps>): Gaps {
  const sum = [...noGaps]
  for (const gaps of all) for (const [index, count] of gaps.entries()) sum[index]! += count
  return sum
}

/**
 * The estimate behind `UsualTimes.msPerMessage`. `own`: the gaps of this conversation; `all`: the gaps of all
 * conversations; `conversations`: how many there are, each of which may have had its last message; `unusedMs`: how long
 * ago the last message came. For each class of gaps, the estimate expects some messages: the conversation's own, and
 * a share of all. The loop visits the classes from the present age on; each class is one more span of time to keep the
 * process. The cost of a span is its length for every message that is still expected, but only half of it for messages
 * within the span, because these arrive evenly. The best moment to give up is the end of the span with the most
 * messages for the time that the process is kept.
 */
export function estimatedMsPerMessage(own: Gaps, all: Gaps, conversations: number, unusedMs: number): number {
  const ageMs = Math.max(1000, unusedMs)
  const first = classOf(ageMs)
  // Each conversation counts as one gap that never ends. One more is added for this conversation, which may not be
  // among them.
  const scale = weightOfAll / all.reduce((sum, count) => sum + count, conversations + 1)
  const startOf = (index: number): number => 1000 * 2 ** index
  // In the class of the present age, only the part that is still to come counts, on a logarithmic scale.
  const partOfFirst = Math.max(0, Math.min(1, Math.log2(startOf(first + 1) / ageMs)))
  const expectedIn = (index: number): number =>
    (own[index]! + scale * all[index]!) * (index === first ? partOfFirst : 1)
  let expectedLeft = weightOfNever + scale * (conversations + 1)
  for (let index = first; index < classCount; index += 1) expectedLeft += expectedIn(index)
  let [messages, heldMs, best] = [0, 0, 0]
  for (let index = first; index < classCount; index += 1) {
    // At least a hundredth of the age: otherwise, near the end of a class and beyond the last one, keeping the process
    // would cost nothing.
    const lengthMs = index === first ? Math.max(ageMs / 100, startOf(first + 1) - ageMs) : startOf(index)
    const come = expectedIn(index)
    messages += come
    heldMs += (expectedLeft - come / 2) * lengthMs
    expectedLeft -= come
    best = Math.max(best, messages / heldMs)
  }
  return best === 0 ? Number.MAX_VALUE : 1 / best
}

function classOf(ms: number): number {
  return Math.max(0, Math.min(classCount - 1, Math.floor(Math.log2(Math.max(1, ms) / 1000))))
}
