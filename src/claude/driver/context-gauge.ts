import { isRecord } from '../../base/lib/is-record.ts'
import { isSystem, type Line } from './line.ts'

/** How full a conversation is: what it takes of the model's window, both in tokens. */
export interface ContextShare {
  readonly tokens: number
  readonly window: number
}

/** How long the model's API keeps a prompt after its last use, unless it was written to be kept for an hour. */
const usualCacheMs = 5 * 60_000
const longCacheMs = 60 * 60_000

/**
 * Reads from the lines that come anyway what `get_context_usage` would say: the input of the last call of the model,
 * cache included. The usage of a `result` is the sum over all calls of its turn, so it says too much once a tool ran.
 */
export class ContextGauge {
  #model: unknown
  #tokens: number | undefined
  #window: number | undefined
  #cacheMs = 0

  /** For how long the API keeps the conversation's prompt after a turn, milliseconds; 0: it keeps none. */
  get cacheMs(): number {
    return this.#cacheMs
  }

  /** Undefined before the first whole turn, and from a compaction to the next call of the model. */
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

/** A part that was written for an hour outlives a call that only reads it. */
function cacheMsOf(usage: Record<string, unknown>): number {
  const written = usage['cache_creation']
  if (isRecord(written) && (count(written['ephemeral_1h_input_tokens']) ?? 0) > 0) return longCacheMs
  const cached = (count(usage['cache_creation_input_tokens']) ?? 0) + (count(usage['cache_read_input_tokens']) ?? 0)
  return cached > 0 ? usualCacheMs : 0
}

/** The payload of an answer to `get_context_usage`. */
export function toShare({ totalTokens, maxTokens }: Record<string, unknown>): ContextShare | undefined {
  const [tokens, window] = [count(totalTokens), count(maxTokens)]
  return tokens === undefined || window === undefined || window === 0 ? undefined : { tokens, window }
}

/** A subagent has a window of its own, and what the CLI says in the place of the model used none. */
function ownUsage(line: Line): Record<string, unknown> | undefined {
  const message = line['message']
  if (typeof line['parent_tool_use_id'] === 'string' || !isRecord(message)) return undefined
  const usage = message['usage']
  return message['model'] === '<synthetic>' || !isRecord(usage) ? undefined : usage
}

/** Of the conversation's own model, if it is named; of several the largest. */
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
