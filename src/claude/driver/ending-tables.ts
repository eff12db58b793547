import type { Reason } from '../../base/protocol/turn.ts'

/** A row of the tables of endings. */
export interface Row {
  /** `whole`: an answer. `by stop reason`: the table of stop reasons decides. */
  readonly means: Reason | 'whole' | 'by stop reason'
  /** The text added for the asker after the CLI's own text. */
  readonly words?: string
  /** Set if the conversation, with the message, is longer than the model takes at once. */
  readonly isTooLong?: true
  /**
   * How the value was produced with a real CLI, or why it was not. Applies to both pinned builds unless one is named.
   */
  readonly seen: string
}

const sayLess =
  'Ask in the same conversation for the rest, or for a shorter answer, or have it written to a file. What was said is in the partial response.'
const cutWords = `The answer was cut off. ${sayLess}`
const toolWords =
  'The turn ended with a tool, and the agent said nothing after it. What it had said is in the partial response; ask it in the same conversation for the result.'
const backgroundWords = 'Claude Code moved the turn to its own background.'

/** Every `terminal_reason` of 2.1.330. 2.1.197 says `completed` even for API errors, with `is_error`. */
export const terminalReasons = {
  completed: { means: 'by stop reason', seen: 'every answer' },
  api_error: {
    means: 'api_error',
    seen: '2.1.330, an API that refuses; also a stream that breaks four times, which is a cut',
  },
  prompt_too_long: { means: 'api_error', isTooLong: true, seen: 'an API that says "prompt is too long"' },
  blocking_limit: {
    means: 'api_error',
    isTooLong: true,
    seen: 'CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE=10, no compaction',
  },
  rapid_refill_breaker: {
    means: 'api_error',
    words: 'The conversation was full again right after several compactions. Ask for the work in smaller steps.',
    seen: '2.1.330, a model that calls a tool with 10 MB (test/spec/large-value.test.ts); 2.1.197 goes on',
  },
  image_error: {
    means: 'api_error',
    words: 'A picture or a file in the conversation is too large for the API: send a smaller one, or name its path.',
    seen: 'an API that answers 413, or 400 "image exceeds"',
  },
  model_error: { means: 'turn_error', seen: 'never: a fault inside of the CLI, or no model that is allowed' },
  malformed_tool_use_exhausted: {
    means: 'turn_error',
    words: 'The model kept calling a tool in an unreadable form. Split the request into smaller ones, then ask again.',
    seen: '2.1.330, a reply that stops for a tool and has none; 2.1.197 says completed, with is_error',
  },
  max_turns: { means: 'turn_error', words: 'Claude Code reached its own limit on steps.', seen: '--max-turns 1' },
  budget_exhausted: {
    means: 'over_budget',
    words: "This is Claude Code's own limit, not one of Iris's.",
    seen: '2.1.330, --max-budget-usd; 2.1.197 has the subtype only',
  },
  structured_output_retry_exhausted: {
    means: 'turn_error',
    seen: '2.1.330, --json-schema, which Iris does not pass; 2.1.197 has the subtype only',
  },
  aborted_streaming: { means: 'turn_error', words: 'Something other than Iris interrupted it.', seen: 'an interrupt' },
  aborted_tools: {
    means: 'turn_error',
    words: 'Something other than Iris interrupted it.',
    seen: 'an interrupt while a tool runs',
  },
  hook_stopped: { means: 'stopped_by_hook', seen: 'PreToolUse, PostToolUse and PostToolBatch with continue: false' },
  stop_hook_prevented: { means: 'whole', seen: 'a Stop hook with continue: false, after a whole answer' },
  tool_deferred: { means: 'tool_deferred', seen: 'test/pins/deferred.test.ts' },
  tool_deferred_unavailable: {
    means: 'tool_deferred',
    seen: 'never: a deferred tool must be gone when the conversation is resumed',
  },
  background_requested: {
    means: 'cut',
    words: `${backgroundWords} ${sayLess}`,
    seen: 'never: only a person at a terminal can ask for it',
  },
  turn_setup_failed: { means: 'turn_error', seen: "never: happens only if an organization's policy is unreadable" },
} as const satisfies Record<string, Row>

/** The subtypes of a result without a `terminal_reason`, as 2.1.197 has them. */
export const subtypes = {
  success: { means: 'by stop reason', seen: 'every answer, and errors of the API with is_error' },
  error_during_execution: { means: 'turn_error', seen: 'an interrupt; a resume of an unknown conversation' },
  error_max_turns: terminalReasons.max_turns,
  error_max_budget_usd: terminalReasons.budget_exhausted,
  error_max_structured_output_retries: terminalReasons.structured_output_retry_exhausted,
} as const satisfies Record<string, Row>

/** Every `stop_reason` of a result that is not an error. */
export const stopReasons = {
  end_turn: { means: 'whole', seen: 'every answer' },
  stop_sequence: {
    means: 'whole',
    seen: 'a reply with this stop reason; the errors of the CLI have it too, with is_error',
  },
  pause_turn: { means: 'paused', seen: 'a reply with this stop reason' },
  compaction: { means: 'paused', seen: 'a reply with this stop reason' },
  max_tokens: {
    means: 'cut',
    words: cutWords,
    seen: '2.1.197, a reply that is not streamed; else both builds say it as an error after four such replies',
  },
  model_context_window_exceeded: { means: 'cut', words: cutWords, seen: 'never, as max_tokens' },
  refusal: { means: 'model_refusal', seen: 'never without is_error' },
  tool_use: { means: 'cut', words: toolWords, seen: 'only with max_turns and hook_stopped, which take precedence' },
  tool_deferred: { means: 'tool_deferred', seen: 'test/pins/deferred.test.ts' },
  tool_deferred_unavailable: { means: 'tool_deferred', seen: 'never, as the terminal reason' },
} as const satisfies Record<string, Row>

/** Stop reasons of a reply that the model continues when asked. */
export const pauseReasons: readonly string[] = Object.entries(stopReasons).flatMap(([reason, { means }]) =>
  means === 'paused' ? [reason] : [],
)

/** A `stop_reason` of null. For a command or a blocked prompt, which called no model, it means nothing. */
export const noStopReason = {
  means: 'cut',
  words: `The stream of the model ended in the middle. ${sayLess}`,
  seen: '2.1.197, a stream that ends without an error; 2.1.330 asks three times for the rest, and then says it as an error',
} as const satisfies Row

/**
 * Every kind of `prompt_submit_outcome`, and the equivalents that 2.1.197 reports as text. Both builds mark them with
 * `prevent_continuation`.
 */
export const promptEnds = {
  blocked_by_hook: { means: 'blocked_by_hook', seen: 'a UserPromptSubmit hook with decision: block, or exit code 2' },
  stopped_by_hook: { means: 'stopped_by_hook', seen: 'a UserPromptSubmit hook with continue: false' },
  dropped_by_hook: { means: 'blocked_by_hook', seen: 'never: needs a code module of a plugin' },
  not_passed_on: { means: 'blocked_by_hook', seen: 'never: needs a code module of a plugin' },
  no_verdict: { means: 'blocked_by_hook', seen: 'never: needs a hook on another machine, or one that must not fail' },
} as const satisfies Record<string, Row>

/** API errors by the CLI's names; every other error is an `api_error`. */
export const apiErrors = {
  max_output_tokens: { means: 'cut', words: sayLess, seen: 'four replies that end with max_tokens' },
  authentication_failed: { means: 'api_auth', seen: 'an API that answers 401' },
  rate_limit: { means: 'api_rate_limited', seen: 'an API that answers 429' },
  malformed_tool_use_exhausted: terminalReasons.malformed_tool_use_exhausted,
} as const satisfies Record<string, Row>
