import type { ClaudeResult } from './result.ts'

/** The CLI's cost counts up, and a turn wants its own. US dollars. */
export class CostCount {
  #soFar = 0

  /** What the conversation had cost before: builds that count over a resume go on from there. */
  from(cost: number): void {
    this.#soFar = cost
  }

  /** The result with what it has cost itself. A total below the one before: this build began its count anew. */
  priced(result: ClaudeResult): ClaudeResult {
    const { totalCostUsd, usage } = result
    const costUsd = totalCostUsd < this.#soFar ? totalCostUsd : totalCostUsd - this.#soFar
    this.#soFar = totalCostUsd
    return { ...result, usage: { ...usage, costUsd } }
  }
}
