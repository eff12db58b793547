import { basename } from 'node:path'

/** Programs whose starts the gate counts: they take most of the processor time of the tests. */
export const programs = ['claude', 'fake', 'daemon', 'command', 'chromium'] as const
export type Program = (typeof programs)[number]

/** Which of them a process runs, by its arguments and by the file it executes. */
export function programOf(args: readonly string[], executable: string): Program | undefined {
  const [called = ''] = args
  // The same file is also the search tools that Claude Code starts, under their names.
  if (/\/claude-code-[^/]+\/claude$/.test(executable)) return basename(called) === 'claude' ? 'claude' : undefined
  if (/^(chromium|chrome|headless_shell)$/.test(basename(executable)))
    // Its own helpers, which write all their arguments into the first.
    return args.some((arg) => / --type=/.test(` ${arg}`)) ? undefined : 'chromium'
  if (basename(executable) !== 'node') return undefined
  if (args.some((arg) => arg.endsWith('/fake-claude'))) return 'fake'
  if (args.some((arg) => arg.endsWith('/crashing-daemon.ts'))) return 'daemon'
  const main = args.findIndex((arg) => /\/(src\/main\.ts|dist\/main\.js|\.?bin\/iris)$/.test(arg))
  if (main === -1) return undefined
  return args[main + 1] === 'start' ? 'daemon' : 'command'
}
