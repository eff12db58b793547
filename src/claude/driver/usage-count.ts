import type { ClaudeResult, Spent } from '../../base/agent/run-result.ts'

const nothing: Spent = { costUsd: 0, tokens: undefined }

/** The CLI adds up cost and tokens of all models, subagents and workflows. This class finds each turn's share. */
export class UsageCount {
  #soFar = nothing

  /**
   * `past`: what the conversation used before this process. Some builds continue counting from there after a resume.
   */
  from(past: Spent): void {
    this.#soFar = past
  }

  /**
   * The result with the usage of only its own turn, and the model with which that turn began. If the cost is lower than
   * the last one, this build has restarted its count.
   */
  counted(result: ClaudeResult, model: string | undefined): ClaudeResult {
    const { spent, usage } = result
    const before = spent.costUsd < this.#soFar.costUsd ? nothing : this.#soFar
    this.#soFar = spent
    const own = { ...usage, costUsd: spent.costUsd - before.costUsd, ...(model !== undefined && { model }) }
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
