/**
 * Specs that the thorough tier runs a second time, unchanged, with every team on another machine. Not among them are specs in which a
 * clock jumps further than a link may be silent: the link is then lost, and nobody's silence counts. A crash of a tool that Iris ends here
 * and lets go on there is in hosts-restart.test.ts; a program that is no ssh opens no terminal, which is what specs of forks need.
 */
export const elsewhereTests: readonly string[] = [
  'test/spec/asks.test.ts',
  'test/spec/permissions.test.ts',
  'test/spec/crash.test.ts',
  'test/spec/process-faults.test.ts',
  'test/spec/session-verbs.test.ts',
]
