import { compact, exact } from '../../shared/format/figures.ts'
import { texts } from './texts.ts'
import type { ListedTurn } from './use-session-turns.ts'

/** Tokens in, with the part that came from the cache, and tokens out. */
export function UsageNote({ usage }: { readonly usage: ListedTurn['usage'] }) {
  if (usage === undefined) return null
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage
  const all = inputTokens + cacheReadTokens + cacheWriteTokens
  // The turn ended before its result, so its cost is known, but not its usage.
  if (all + outputTokens === 0) return null
  const cache = [exact(cacheReadTokens), exact(cacheWriteTokens)] as const
  const exactly = texts.tokensExactly(exact(inputTokens), ...cache, exact(outputTokens))
  return (
    <span className="text-muted" title={exactly}>
      {texts.tokensUsed(compact(all), compact(cacheReadTokens), compact(outputTokens))}
    </span>
  )
}
