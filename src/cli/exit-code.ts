import type { ErrorCode } from '../protocol/error.ts'

/** What a script learns from how `iris` ends, by what went wrong; everything else is 1. */
const exitCodes: Partial<Record<ErrorCode, number>> = {
  invalid_input: 2,
  config_invalid: 3,
  daemon_unreachable: 4,
  already_running: 5,
  port_taken: 6,
}

export function exitCodeOf(code: ErrorCode): number {
  return exitCodes[code] ?? 1
}
