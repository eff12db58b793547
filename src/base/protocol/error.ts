import { withoutMiddle } from './without-middle.ts'

/**
 * The closed list of errors of a call. Only adapters map a code to their own terms (MCP `isError`, HTTP status, exit
 * code).
 */
export const errorCodes = [
  'account_unusable',
  'already_installed',
  'already_running',
  'audit_broken',
  'asker_ended',
  'breaker_open',
  'claude_failed',
  'claude_not_found',
  'config_conflict',
  'config_invalid',
  'contract_broken',
  'cursor_unknown',
  'daemon_unreachable',
  'file_refused',
  'from_mismatch',
  'feature_missing',
  'host_unreachable',
  'insight_failed',
  'internal',
  'invalid_input',
  'isolation_failed',
  'limited',
  'may_have_run',
  'message_empty',
  'message_too_long',
  'no_free_process',
  'no_running_turn',
  'not_adopted',
  'not_allowed',
  'not_found',
  'nothing_to_fork',
  'over_budget',
  'port_taken',
  'process_busy',
  'queue_full',
  'sandbox_unavailable',
  'schema_invalid',
  'session_creation_failed',
  'session_ended',
  'session_held',
  'shutting_down',
  'spawn_failed',
  'spawn_timeout',
  'store_newer',
  'store_unavailable',
  'team_directory_missing',
  'key_in_use',
  'thread_in_use',
  'timeout_out_of_range',
  'too_many_calls',
  'too_many_hops',
  'too_many_notices',
  'too_many_starts',
  'transcript_unreadable',
  'unauthorized',
  'unknown_agent',
  'unknown_permission',
  'unknown_session',
  'unknown_team',
  'unknown_turn',
  'value_invalid',
  'waits_for_itself',
] as const

export type ErrorCode = (typeof errorCodes)[number]

interface IrisErrorOptions extends ErrorOptions {
  /** Milliseconds after which the same call may succeed; absent if unknown. */
  readonly retryAfterMs?: number | undefined
  /** For `cursor_unknown`: the first cursor of the kept events. */
  readonly firstCursor?: string | undefined
}

/** The one error class. `message` says what happened and why; `remedy` says what to do about it. */
export class IrisError extends Error {
  override readonly name = 'IrisError'
  readonly code: ErrorCode
  readonly remedy: string
  /** Milliseconds. Undefined if waiting does not help, or if the wait is unknown. */
  readonly retryAfterMs: number | undefined
  /** The first cursor to read from. Only for `cursor_unknown`. */
  readonly firstCursor: string | undefined

  constructor(code: ErrorCode, message: string, remedy: string, options?: IrisErrorOptions) {
    // A configuration error may list many mistakes, each of which is short.
    super(code === 'config_invalid' ? message : withoutMiddle(message), options)
    this.code = code
    this.remedy = withoutMiddle(remedy)
    this.retryAfterMs = options?.retryAfterMs
    this.firstCursor = options?.firstCursor
  }

  /** The shape in which adapters send the error. */
  toJSON() {
    const { code, message, remedy, retryAfterMs, firstCursor } = this
    return {
      code,
      message,
      remedy,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(firstCursor !== undefined && { firstCursor }),
    }
  }
}

/** The error that callers may see: any other exception becomes `internal`, without its stack or paths. */
export function toIrisError(error: unknown): IrisError {
  if (error instanceof IrisError) return error
  return new IrisError('internal', 'Something in Iris failed.', 'See the daemon log for the cause.', { cause: error })
}
