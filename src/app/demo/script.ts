import type { IncomingHttpHeaders } from 'node:http'
import type { Conversation } from './conversation.ts'
import type { MessagesBody } from './messages-api.ts'

/** One request to the model. */
export interface ModelRequest {
  readonly body: MessagesBody
  readonly conversation: Conversation
  readonly headers: IncomingHttpHeaders
  /** Claude Code's session id, from its header; empty for another client. */
  readonly sessionId: string
  /** Aborted when the client goes away before it has the whole answer. */
  readonly signal: AbortSignal
}

export interface ToolUse {
  readonly name: string
  readonly input: unknown
  /** Generated when absent. */
  readonly id?: string
}

/** One block of a message. */
export type ModelBlock =
  | { readonly text: string | AsyncIterable<string> }
  | { readonly thinking: string }
  | { readonly toolUse: ToolUse }

/**
 * Thinking, then text, then further blocks, then tool uses; each optional. With tool uses the model stops to see their
 * results.
 */
export interface ModelAnswer {
  /** The pieces of an iterable are sent as they come. */
  readonly thinking?: string | AsyncIterable<string>
  readonly text?: string
  /** Text in pieces, sent as they come; a piece that is held back keeps the answer incomplete. Follows `text`. */
  readonly stream?: AsyncIterable<string>
  /** Blocks in any order. */
  readonly blocks?: readonly ModelBlock[]
  readonly toolUses?: readonly ToolUse[]
  /**
   * Why the model stops. Default: to wait for the results of tool uses, or else at the end of its turn. `max_tokens`
   * cuts off the last tool use.
   */
  readonly stopReason?: StopReason
  /**
   * How the stream breaks in the middle of the last block: the API reports an error, the connection closes, or the stream
   * ends. A request without `stream` gets the whole answer.
   */
  readonly breaks?: 'error' | 'close' | 'end'
  /** The name of the model that the answer gives. Default: that of the request. */
  readonly model?: string
  /** Input tokens that the answer reports, all as read from the cache. Default: estimated from the request's bytes. */
  readonly inputTokens?: number
}

type StopReason = 'max_tokens' | 'refusal' | 'pause_turn' | 'stop_sequence' | 'model_context_window_exceeded'

export interface ModelFailure {
  readonly error: {
    /** HTTP status, e.g. 401, 429, 500, 529. */
    readonly status: number
    /** As the API names it: `authentication_error`, `rate_limit_error`, `api_error`, `overloaded_error`. */
    readonly type: string
    readonly message: string
    readonly retryAfterSeconds?: number
  }
}

/** Never answers: `silent` sends nothing at all, and `started` sends only the beginning of a message. */
export interface ModelStall {
  readonly stall: 'silent' | 'started'
}

export type ModelReply = (ModelAnswer | ModelFailure | ModelStall) & {
  /** Headers of the response, such as those of a rate limit. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Decides what the model says. Called at each step: again after every round of tool results. */
export type Script = (request: ModelRequest) => ModelReply | Promise<ModelReply>

export const authenticationFailure = failure(401, 'authentication_error', 'invalid x-api-key')
export const rateLimitFailure = failure(429, 'rate_limit_error', 'Number of requests has exceeded your limit')
export const serverFailure = failure(500, 'api_error', 'Internal server error')
export const overloadedFailure = failure(529, 'overloaded_error', 'Overloaded')

function failure(status: number, type: string, message: string): ModelFailure {
  return { error: { status, type, message } }
}

/** Text that stops after `first` until `gate` opens. */
export async function* heldText(first: string, gate: Promise<unknown>, rest: string): AsyncGenerator<string> {
  yield first
  await gate
  yield rest
}

/**
 * Replies with the entry for the current step, and repeats the last entry after that. Usually the entries are a tool
 * use, then an answer.
 */
export function stepwise(...steps: readonly (ModelReply | Script)[]): Script {
  return (request) => {
    const reply = steps[Math.min(request.conversation.step, steps.length - 1)] ?? { text: '' }
    return typeof reply === 'function' ? reply(request) : reply
  }
}
