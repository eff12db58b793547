/**
 * Specs that the thorough tier runs a second time, unchanged, with every team on another machine, because the link changes what they
 * show: how the death of a process is noticed, what a killed Iris leaves, where files are, how a silent process is probed. A clock that jumps lets the link
 * answer on the way (test/support/link-traffic.ts). Not among them are specs whose rule differs there by design, which
 * hosts-restart.test.ts shows: a tool goes on when Iris is killed, and an open question is asked again after the start. A stopped
 * program is continued there to hear SIGTERM, which cancel.test.ts rules out. A program that is no ssh opens no terminal, which is what
 * specs of forks need.
 */
export const elsewhereTests: readonly string[] = [
  'test/spec/crash.test.ts',
  'test/spec/process-faults.test.ts',
  'test/spec/session-verbs.test.ts',
  'test/spec/silence.test.ts',
  'test/spec/wall-clock.test.ts',
]

/**
 * These run so at night only. What they show happens before the link, and hosts.test.ts, hosts-links.test.ts and hosts-restart.test.ts
 * show an ask, a question and a wait over it in each run.
 */
const atNight: readonly string[] = [
  'test/spec/asks.test.ts',
  'test/spec/permissions.test.ts',
  'test/spec/timeouts.test.ts',
]

export const elsewhereAtNight: readonly string[] = [...elsewhereTests, ...atNight]
