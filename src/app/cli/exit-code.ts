import type { ErrorCode } from '../../base/protocol/error.ts'

/** Exit codes for scripts, by what went wrong; every other error is 1. docs/guide/command.md lists them. */
const classes: readonly (readonly [exitCode: number, codes: readonly ErrorCode[]])[] = [
  [2, ['invalid_input', 'key_in_use', 'may_have_run', 'message_empty', 'message_too_long', 'timeout_out_of_range']],
  [3, ['config_invalid']],
  [4, ['daemon_unreachable']],
  [5, ['already_running']],
  [6, ['port_taken']],
  [7, ['not_allowed', 'unauthorized', 'from_mismatch']],
  [8, ['not_found', 'unknown_agent', 'unknown_permission', 'unknown_session', 'unknown_team', 'unknown_turn']],
  [12, ['not_adopted']],
  [
    9,
    [
      ...([
        'account_unusable',
        'breaker_open',
        'limited',
        'no_free_process',
        'process_busy',
        'queue_full',
        'session_held',
        'shutting_down',
      ] as const),
      ...(['store_unavailable', 'too_many_calls', 'too_many_notices', 'too_many_starts', 'thread_in_use'] as const),
      'transcript_unreadable',
      'insight_failed',
    ],
  ],
]

const exitCodes = new Map(classes.flatMap(([exitCode, codes]) => codes.map((code) => [code, exitCode] as const)))

export function exitCodeOf(code: ErrorCode): number {
  return exitCodes.get(code) ?? 1
}

/** Exit code when a message ends without an answer. */
export const notAnswered = 10
/** Exit code when the caller's time limit is over and the work continues. */
export const stillRunning = 11
/** Exit code after Ctrl-C, as in shells. */
export const interrupted = 130
/** Exit code after SIGTERM, which for example `timeout 60 iris tell` sends. */
export const terminated = 143
