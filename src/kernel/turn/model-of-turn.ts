import { fallbackIn, isSystem, type Line } from '../../base/agent/line.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import type { OtherModel } from '../../base/protocol/turn.ts'

/** Detects from a turn's lines whether the answering model differs from the one with which Claude Code began. */
export class ModelOfTurn {
  #configured: string | undefined
  #why: string | undefined

  /** Returns the other model for each line that shows one. Otherwise undefined. */
  take(line: Line): OtherModel | undefined {
    if (isSystem(line, 'init') && typeof line['model'] === 'string') this.#configured ??= line['model']
    const fallback = fallbackIn(line)
    if (fallback !== undefined) {
      this.#configured ??= fallback.from
      this.#why = fallback.why
      return this.#differing(fallback.to)
    }
    const { message } = line
    // A subagent may have its own model.
    const isOwn = line.type === 'assistant' && typeof line['parent_tool_use_id'] !== 'string' && isRecord(message)
    return isOwn && typeof message['model'] === 'string' ? this.#differing(message['model']) : undefined
  }

  #differing(model: string): OtherModel | undefined {
    const configured = this.#configured
    if (configured === undefined || isSynthetic(model) || bare(model) === bare(configured)) return undefined
    return { model, configured, ...(this.#why !== undefined && { why: this.#why }) }
  }
}

/** Claude Code's own texts carry the name `<synthetic>`. */
function isSynthetic(model: string): boolean {
  return model.startsWith('<')
}

/**
 * The model's name without provider, date, version and window, because `init` and the API write these differently for
 * the same model.
 */
function bare(model: string): string {
  return model
    .replace(/\[[^\]]*\]$/, '')
    .replace(/^.*(?=claude-)/, '')
    .replace(/-v\d+(:\d+)?$/, '')
    .replace(/[-@](20\d{6}|latest)$/, '')
}
