/**
 * Specs that the thorough tier runs a second time, unchanged, with every team on another machine. Not among them are specs in which a
 * clock jumps while a process must be heard, and crashes of a tool that Iris ends here and lets go on there.
 */
export const elsewhereTests: readonly string[] = ['test/spec/asks.test.ts', 'test/spec/permissions.test.ts']
