import type { Usage } from './turn.ts'

/** The sum of two usages, with the larger context window. */
export function addUsage(one: Usage, other: Usage): Usage {
  const costs = [one.costUsd, other.costUsd].filter((cost) => cost !== undefined)
  const windows = [one.contextWindow, other.contextWindow].filter((window) => window !== undefined)
  const model = other.model ?? one.model
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    ...(costs.length > 0 && { costUsd: costs.reduce((sum, cost) => sum + cost, 0) }),
    ...(windows.length > 0 && { contextWindow: Math.max(...windows) }),
    ...(model !== undefined && { model }),
  }
}
