/** Consecutive hours of the day with more asks than other hours. */
export interface Peak {
  /** The first hour, 0 to 23, and the hour after the last one, 1 to 24. A peak over midnight counts as two. */
  readonly begin: number
  readonly end: number
  readonly asks: number
  /** The peak's asks per hour, as a multiple of the mean. */
  readonly factor: number
}

const hourMs = 3_600_000
const hours = 24
/** With fewer asks than this, differences between hours may be chance. */
const minAsks = 100
const minFactor = 2
/** The highest probability that chance alone makes an hour look like a peak. */
const chance = 0.001

/** Counts asks by the hour of the day, `offsetMinutes` east of UTC. */
export class PeakHours {
  readonly #counts = Array.from({ length: hours }, () => 0)
  readonly #offsetMs: number

  constructor(offsetMinutes: number) {
    this.#offsetMs = offsetMinutes * 60_000
  }

  add({ acceptedAt }: { readonly acceptedAt: number }): void {
    const hour = Math.floor((acceptedAt + this.#offsetMs) / hourMs) % hours
    this.#counts[hour]! += 1
  }

  found(): readonly Peak[] {
    const total = this.#counts.reduce((sum, count) => sum + count, 0)
    if (total < minAsks) return []
    const mean = total / hours
    const isPeak = (count: number): boolean => count >= minFactor * mean && poissonTail(count, mean) < chance / hours
    const peaks: Peak[] = []
    for (const [hour, count] of this.#counts.entries()) {
      if (!isPeak(count)) continue
      const last = peaks.at(-1)
      const begin = last?.end === hour ? last.begin : hour
      const asks = count + (last?.end === hour ? last.asks : 0)
      if (last?.end === hour) peaks.pop()
      peaks.push({ begin, end: hour + 1, asks, factor: asks / (hour + 1 - begin) / mean })
    }
    return peaks
  }
}

/** The probability of `count` or more by chance if `mean` are expected. */
function poissonTail(count: number, mean: number): number {
  let term = Math.exp(-mean)
  let below = 0
  for (let cases = 0; cases < count; cases++) {
    below += term
    term *= mean / (cases + 1)
  }
  return Math.max(0, 1 - below)
}
