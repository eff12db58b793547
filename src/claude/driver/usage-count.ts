import type { ClaudeResult, Spent } from './result.ts'

const nothing: Spent = { costUsd: 0, tokens: undefined }

/** The CLI counts cost and tokens of all models up, subagents' and workflows' included; a turn wants its own. */
export class UsageCount {
  #soFar = nothing

  /** What the conversation had used before: builds that count over a resume go on from there. */
  from(past: Spent): void {
    this.#soFar = past
  }

  /** The result with what it has used itself. A cost below the one before: this build began its count anew. */
  counted(result: ClaudeResult): ClaudeResult {
    const { spent, usage } = result
    const before = spent.costUsd < this.#soFar.costUsd ? nothing : this.#soFar
    this.#soFar = spent
    const own = { ...usage, costUsd: spent.costUsd - before.costUsd }
    const [now, then] = [spent.tokens, before.tokens]
    if (now === undefined) return { ...result, usage: own }
    const more = (part: keyof typeof now): number => Math.max(usage[part], now[part] - (then?.[part] ?? 0))
    return {
      ...result,
      usage: {
        ...own,
        inputTokens: more('inputTokens'),
        outputTokens: more('outputTokens'),
        cacheReadTokens: more('cacheReadTokens'),
        cacheWriteTokens: more('cacheWriteTokens'),
      },
    }
  }
}
