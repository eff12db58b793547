import type { Line } from '../../base/agent/line.ts'
import type { AgentProcess } from '../../base/agent/process.ts'
import type { Clock } from '../../base/lib/clock.ts'
import {
  type Compacted,
  compactCommand,
  compactionError,
  compactionSummary,
  toCompacted,
} from '../../claude/driver/compaction.ts'
import { Silence, type SilenceLimits } from './silence.ts'

/** How an attempt to compact a conversation ended. */
export type CompactionEnd = (
  | { readonly kind: 'compacted'; readonly tokens: Compacted; readonly summary: string }
  | { readonly kind: 'failed'; readonly why: string }
  /** The process was asked to exit. */
  | { readonly kind: 'cut_off' }
) & {
  /** US dollars; absent if no result reported a cost. */
  readonly costUsd?: number | undefined
}

/** Exit code of a CLI that received SIGTERM. */
const exitCodeOfSigterm = 143

export interface CompactionParts {
  readonly clock: Clock
  readonly limits: SilenceLimits
  readonly uuid: string
  readonly onLine: (line: Line) => void
}

/**
 * Makes Claude Code replace the conversation with a summary. Nothing else may be running in the process (`isAlone`):
 * older builds do not echo the uuid of this message, so Iris assumes that the process's next turn is the compaction.
 */
export async function compact(process: AgentProcess, parts: CompactionParts): Promise<CompactionEnd> {
  let tokens: Compacted | undefined
  let summary = ''
  let error: string | undefined
  let stopped: string | undefined
  const stopBecause = (why: string): void => {
    stopped ??= why
    void process.stop('now')
  }
  const silence = new Silence(parts.limits, process, parts.clock, (verdict) =>
    stopBecause(verdict === 'hung' ? 'its process hung' : 'its process was silent for too long'),
  )
  const end = await process.run(
    parts.uuid,
    { text: compactCommand },
    {
      onSign: () => silence.sign(),
      onForeign: (sessionId) => stopBecause(`its process's output named session ${sessionId}`),
      drained: () => undefined,
      onLine: (line) => {
        tokens = toCompacted(line) ?? tokens
        summary ||= compactionSummary(line) ?? ''
        error = compactionError(line) ?? error
        parts.onLine(line)
      },
    },
  )
  silence.end()
  const costUsd = end.kind === 'result' ? end.result.usage.costUsd : undefined
  if (stopped !== undefined) return { kind: 'failed', why: stopped, costUsd }
  if (tokens !== undefined) return { kind: 'compacted', tokens, summary, costUsd }
  if (end.kind === 'result')
    return { kind: 'failed', why: error ?? (end.result.text || 'Claude Code did not say why'), costUsd }
  if (end.kind === 'exited' && end.exit.code === exitCodeOfSigterm) return { kind: 'cut_off' }
  return { kind: 'failed', why: error ?? 'its process ended' }
}
