/**
 * Specs that the thorough tier runs a second time, unchanged, with every team on another machine. A clock that jumps lets the link
 * answer on the way (test/support/link-traffic.ts). Not among them are specs whose rule differs there by design, which
 * hosts-restart.test.ts shows: a tool goes on when Iris is killed, and an open question is asked again after the start. A stopped
 * program is continued there to hear SIGTERM, which cancel.test.ts rules out. A program that is no ssh opens no terminal, which is what
 * specs of forks need.
 */
export const elsewhereTests: readonly string[] = [
  'test/spec/asks.test.ts',
  'test/spec/permissions.test.ts',
  'test/spec/crash.test.ts',
  'test/spec/process-faults.test.ts',
  'test/spec/session-verbs.test.ts',
  'test/spec/silence.test.ts',
  'test/spec/timeouts.test.ts',
  'test/spec/wall-clock.test.ts',
]
