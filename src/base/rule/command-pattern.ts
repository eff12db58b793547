import { stars, wildcard } from './wildcard.ts'

/** What stands in `Bash(…)`. */
export interface CommandPattern {
  /** Without a star the pattern is this one command, whole and to the letter; undefined with one. */
  readonly exact: string | undefined
  readonly matches: (command: string) => boolean
}

/**
 * As the CLI reads it: `git status:*` and `git status *` are that command with any arguments or none, `git*` is any text
 * that begins so, a star elsewhere is any text. A backslash before a star takes its meaning away only where there is
 * another star that has one.
 */
export function commandPattern(content: string): CommandPattern {
  if (content.endsWith(':*')) return withArguments(content.slice(0, -2))
  const count = stars(content)
  if (count === 0) return { exact: content, matches: (command) => command === content }
  const matches = wildcard(content)
  if (count > 1 || !content.endsWith(' *')) return { exact: undefined, matches }
  const bare = wildcard(content.slice(0, -2))
  return { exact: undefined, matches: (command) => matches(command) || bare(command) }
}

/** Whether a command written as a pattern is that command and nothing else. */
export function isExact(command: string): boolean {
  return commandPattern(command).exact === command
}

function withArguments(prefix: string): CommandPattern {
  return { exact: undefined, matches: (command) => command === prefix || command.startsWith(`${prefix} `) }
}
