import { isSystem, type Line } from '../../base/agent/line.ts'
import type { ContextShare } from '../../base/agent/process.ts'
import { isRecord } from '../../base/lib/is-record.ts'

/**
 * How long the model's API caches a prompt after its last use: five minutes, or an hour if it was written to the cache
 * for an hour.
 */
const usualCacheMs = 5 * 60_000
const longCacheMs = 60 * 60_000

/**
 * Derives from the ordinary lines what `get_context_usage` would return: the input of the last model call, including
 * cache. (The usage of a `result` is the sum of all calls of its turn, so after a tool call it is too high.)
 */
export class ContextGauge {
  #model: unknown
  #tokens: number | undefined
  #window: number | undefined
  #cacheMs = 0

  /** How long the API caches the conversation's prompt after a turn, milliseconds; 0 if the prompt is not cached. */
  get cacheMs(): number {
    return this.#cacheMs
  }

  /** Undefined before the end of the first turn, and from a compaction to the next model call. */
  get share(): ContextShare | undefined {
    if (this.#tokens === undefined || this.#window === undefined) return undefined
    return { tokens: this.#tokens, window: this.#window }
  }

  take(line: Line): void {
    if (line.type === 'assistant') this.#called(line)
    else if (line.type === 'result') this.#window = windowOf(line, this.#model) ?? this.#window
    else if (isSystem(line, 'init')) this.#model = line['model']
    else if (isSystem(line, 'compact_boundary')) this.#tokens = undefined
  }

  #called(line: Line): void {
    const usage = ownUsage(line)
    if (usage === undefined) return
    const { input_tokens: input, cache_creation_input_tokens: written, cache_read_input_tokens: read } = usage
    this.#tokens = [input, written, read].reduce<number>((sum, part) => sum + (count(part) ?? 0), 0)
    this.#cacheMs = Math.max(this.#cacheMs, cacheMsOf(usage))
  }
}

/** The caller keeps the maximum: a part written for an hour stays cached when a later call only reads it. */
function cacheMsOf(usage: Record<string, unknown>): number {
  const written = usage['cache_creation']
  if (isRecord(written) && (count(written['ephemeral_1h_input_tokens']) ?? 0) > 0) return longCacheMs
  const cached = (count(usage['cache_creation_input_tokens']) ?? 0) + (count(usage['cache_read_input_tokens']) ?? 0)
  return cached > 0 ? usualCacheMs : 0
}

/** Reads the answer to `get_context_usage`. */
export function toShare({ totalTokens, maxTokens }: Record<string, unknown>): ContextShare | undefined {
  const [tokens, window] = [count(totalTokens), count(maxTokens)]
  return tokens === undefined || window === undefined || window === 0 ? undefined : { tokens, window }
}

/** Undefined for a subagent, which has its own window, and for the CLI's own text in place of the model's. */
function ownUsage(line: Line): Record<string, unknown> | undefined {
  const message = line['message']
  if (typeof line['parent_tool_use_id'] === 'string' || !isRecord(message)) return undefined
  const usage = message['usage']
  return message['model'] === '<synthetic>' || !isRecord(usage) ? undefined : usage
}

/** The window of the conversation's own model if listed, otherwise the largest window of all listed models. */
function windowOf(line: Line, model: unknown): number | undefined {
  const models = isRecord(line['modelUsage']) ? line['modelUsage'] : {}
  const own = typeof model === 'string' ? models[model] : undefined
  const windows = (own === undefined ? Object.values(models) : [own]).filter(isRecord)
  const known = windows.map(({ contextWindow }) => count(contextWindow) ?? 0).filter((window) => window > 0)
  return known.length > 0 ? Math.max(...known) : undefined
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
