import type { Usage } from './turn.ts'

/** The sum of two usages, with the larger context window, and the model of the later one. */
export function addUsage(earlier: Usage, later: Usage): Usage {
  const costs = [earlier.costUsd, later.costUsd].filter((cost) => cost !== undefined)
  const windows = [earlier.contextWindow, later.contextWindow].filter((window) => window !== undefined)
  const model = later.model ?? earlier.model
  return {
    inputTokens: earlier.inputTokens + later.inputTokens,
    outputTokens: earlier.outputTokens + later.outputTokens,
    cacheReadTokens: earlier.cacheReadTokens + later.cacheReadTokens,
    cacheWriteTokens: earlier.cacheWriteTokens + later.cacheWriteTokens,
    ...(costs.length > 0 && { costUsd: costs.reduce((sum, cost) => sum + cost, 0) }),
    ...(windows.length > 0 && { contextWindow: Math.max(...windows) }),
    ...(model !== undefined && { model }),
  }
}
