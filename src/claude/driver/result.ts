import type { Line } from '../../base/agent/line.ts'
import type { ClaudeResult, Tokens } from '../../base/agent/run-result.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import { addUsage } from '../../base/protocol/add-usage.ts'
import type { Usage } from '../../base/protocol/turn.ts'
import { joinedAnswers, type Speech } from './answer.ts'
import { isUnfinished } from './endings.ts'

export function toResult(line: Line): ClaudeResult {
  const errors = Array.isArray(line['errors']) ? line['errors'].filter((error) => typeof error === 'string') : []
  return {
    isError: line['is_error'] === true,
    subtype: text(line.subtype),
    text: text(line['result']) || errors.join('\n'),
    notes: undefined,
    apiErrorStatus: typeof line['api_error_status'] === 'number' ? line['api_error_status'] : null,
    apiError: typeof line['api_error'] === 'string' ? line['api_error'] : undefined,
    terminalReason: typeof line['terminal_reason'] === 'string' ? line['terminal_reason'] : null,
    stopReason: line['stop_reason'] === null ? null : text(line['stop_reason']) || undefined,
    numTurns: number(line['num_turns']),
    deferredTool: deferredToolOf(line),
    usage: toUsage(line),
    spent: { costUsd: number(line['total_cost_usd']), tokens: tokensOfModels(line['modelUsage']) },
    sessionId: text(line['session_id']),
    uuid: text(line['uuid']),
  }
}

/**
 * The result with the answer as the agent said it: the CLI's own field has only the last block of text. If the model
 * said nothing, as after a Claude Code command, the text is the CLI's.
 */
export function withAnswer(result: ClaudeResult, speech: Speech): ClaudeResult {
  return result.isError || !speech.hasBegun ? result : { ...result, ...speech.answer }
}

/**
 * Joins the results of a turn, in order: its own, and those of the turns in which the CLI reported background tasks.
 * Skips empty texts. If one result failed, the joint result has its error instead of an answer; if one is unfinished,
 * so is the joint result. Throws for an empty list.
 */
export function joined(results: readonly ClaudeResult[]): ClaudeResult {
  const [first, ...more] = results
  if (first === undefined) throw new Error('a turn without a result has no answer')
  if (more.length === 0) return first
  const facts = results.find(({ isError }) => isError) ?? results.find(isUnfinished) ?? results.at(-1)!
  return {
    ...facts,
    ...(!facts.isError && joinedAnswers(results)),
    ...(results.some(({ joinedReport }) => joinedReport) && { joinedReport: true }),
    usage: results.map(({ usage }) => usage).reduce(addUsage),
    spent: results.at(-1)!.spent,
  }
}

/** The result, with the number of messages that joined the turn but were stopped by a hook of the project. */
export function withStopped(result: ClaudeResult, joinsStopped: number): ClaudeResult {
  if (joinsStopped === 0) return result
  const plain = { toolAfter: false, longerBefore: 0, hookReasons: [], everything: result.text }
  return { ...result, notes: { ...(result.notes ?? plain), joinsStopped } }
}

function deferredToolOf({ terminal_reason: reason, stop_reason: stop, deferred_tool_use: use }: Line): string | null {
  if (![reason, stop].some((each) => typeof each === 'string' && each.startsWith('tool_deferred'))) return null
  return isRecord(use) ? text(use['name']) : 'a tool'
}

function toUsage(line: Line): Usage {
  const usage = isRecord(line['usage']) ? line['usage'] : {}
  const models = isRecord(line['modelUsage']) ? Object.values(line['modelUsage']).filter(isRecord) : []
  const windows = models.map((model) => number(model['contextWindow'])).filter((window) => window > 0)
  return {
    inputTokens: number(usage['input_tokens']),
    outputTokens: number(usage['output_tokens']),
    cacheReadTokens: number(usage['cache_read_input_tokens']),
    cacheWriteTokens: number(usage['cache_creation_input_tokens']),
    ...(windows.length > 0 && { contextWindow: Math.max(...windows) }),
  }
}

/** Sums the tokens of all models in a `result` or `cost-state` line; undefined if it lists none. */
export function tokensOfModels(modelUsage: unknown): Tokens | undefined {
  const models = isRecord(modelUsage) ? Object.values(modelUsage).filter(isRecord) : []
  if (models.length === 0) return undefined
  const sum = (part: string): number => models.reduce((total, model) => total + number(model[part]), 0)
  return {
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    cacheReadTokens: sum('cacheReadInputTokens'),
    cacheWriteTokens: sum('cacheCreationInputTokens'),
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function number(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
