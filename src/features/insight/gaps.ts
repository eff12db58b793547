/** How often the next message came after how long: entry `n` counts gaps of 2ⁿ seconds and more, below the next power. */
export type Gaps = readonly number[]

/** Up to 2²⁶ s, which is two years. */
const classes = 26
/** What a conversation is taken to do before it has shown what it does: as much as so many messages of all conversations. */
const weightOfAll = 4
/** The next message of a conversation may never come. */
const weightOfNever = 0.3

export const noGaps: Gaps = Array<number>(classes).fill(0)

/** With one more gap, milliseconds; each earlier one counts `keeps` times what it did. */
export function withGap(gaps: Gaps, gapMs: number, keeps: number): Gaps {
  const index = classOf(gapMs)
  return gaps.map((count, each) => count * keeps + Number(each === index))
}

export function sumOf(all: Iterable<Gaps>): Gaps {
  const sum = [...noGaps]
  for (const gaps of all) for (const [index, count] of gaps.entries()) sum[index]! += count
  return sum
}

/**
 * How long a place is held for each message that comes in it, if the process is kept as long as pays best, milliseconds. `own`: the gaps of
 * its conversation; `all`: those of so many `conversations`, each of which may never be asked again; `unusedMs`: how long ago its last message came.
 */
export function msPerMessage(own: Gaps, all: Gaps, conversations: number, unusedMs: number): number {
  const ageMs = Math.max(1000, unusedMs)
  const first = classOf(ageMs)
  const scale = weightOfAll / all.reduce((sum, count) => sum + count, conversations + 1)
  const countOf = (index: number): number => own[index]! + scale * all[index]!
  const startOf = (index: number): number => 1000 * 2 ** index
  // Of the class in which the age is, only the part that is still to come, by the logarithm.
  const partOfFirst = Math.max(0, Math.min(1, Math.log2(startOf(first + 1) / ageMs)))
  let left = weightOfNever + scale * (conversations + 1)
  for (let index = first; index < classes; index += 1) left += countOf(index) * (index === first ? partOfFirst : 1)
  let [messages, heldMs, best] = [0, 0, 0]
  for (let index = first; index < classes; index += 1) {
    const lengthMs = index === first ? Math.max(ageMs / 100, startOf(first + 1) - ageMs) : startOf(index)
    const come = countOf(index) * (index === first ? partOfFirst : 1)
    messages += come
    heldMs += (left - come / 2) * lengthMs
    left -= come
    best = Math.max(best, messages / heldMs)
  }
  return best === 0 ? Number.MAX_VALUE : 1 / best
}

function classOf(ms: number): number {
  return Math.max(0, Math.min(classes - 1, Math.floor(Math.log2(Math.max(1, ms) / 1000))))
}
