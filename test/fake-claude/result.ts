import { tooLongText } from './fail-request.ts'
import { costUsd, type TokenUsage } from './meter.ts'
import type { Turn } from './turn.ts'

/** How a turn ended, as its result line says it. */
export type Ending =
  | { readonly kind: 'completed' }
  | { readonly kind: 'interrupted'; readonly during: 'text' | 'tool' }
  | { readonly kind: 'api_error'; readonly status: number; readonly type: string; readonly text: string }
  | { readonly kind: 'compacted' }

/** `type` is not the first key: the real line starts like this too, and nobody may rely on a prefix. */
export function resultLine(turn: Turn, ending: Ending): Record<string, unknown> {
  const { session, denials, message, speech } = turn
  const { meter, model } = session
  const tools = ending.kind === 'interrupted' && ending.during === 'tool'
  return {
    duration_api_ms: 0,
    stop_reason: tools ? 'tool_use' : null,
    total_cost_usd: meter.totalCostUsd,
    usage: { ...meter.turn, service_tier: 'standard' },
    modelUsage: { [model]: modelUsage(meter.process, session.contextWindow) },
    permission_denials: denials,
    num_turns: speech.messages,
    ...outcomeOf(turn, ending),
    type: 'result',
    duration_ms: Math.round(session.world.clock.elapsed() - turn.startedAt),
    ...turn.attribution(),
    ...(message.asked ? {} : { origin: originOf(message) }),
    queued_turn_count: 0,
    result_index: session.results,
  }
}

function originOf({ run }: Turn['message']): object {
  return { kind: 'task-notification', ...(run !== undefined && { producer: 'session-task', runId: run }) }
}

function outcomeOf(turn: Turn, ending: Ending): Record<string, unknown> {
  switch (ending.kind) {
    case 'completed':
      return {
        ...success(turn.answer),
        stop_reason: 'end_turn',
        terminal_reason: 'completed',
        api_error_status: null,
      }
    case 'compacted':
      return { ...success(''), num_turns: 0, local_command: 'compact' }
    case 'interrupted':
      return {
        subtype: 'error_during_execution',
        is_error: true,
        terminal_reason: ending.during === 'tool' ? 'aborted_tools' : 'aborted_streaming',
        errors: ['[ede_diagnostic] result_type=user last_content_type=n/a'],
      }
    case 'api_error':
      return {
        ...success(ending.text),
        is_error: true,
        stop_reason: 'stop_sequence',
        terminal_reason: ending.text === tooLongText ? 'prompt_too_long' : 'api_error',
        api_error_status: ending.status,
        api_error_type: ending.type,
        num_turns: 1,
      }
  }
}

function success(result: string): Record<string, unknown> {
  return { subtype: 'success', is_error: false, result }
}

function modelUsage(usage: TokenUsage, contextWindow: number): Record<string, unknown> {
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadInputTokens: usage.cache_read_input_tokens,
    cacheCreationInputTokens: usage.cache_creation_input_tokens,
    webSearchRequests: 0,
    costUSD: costUsd(usage),
    contextWindow,
    maxOutputTokens: 64_000,
  }
}
