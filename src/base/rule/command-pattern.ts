import { stars, wildcard } from './wildcard.ts'

/** The content of `Bash(…)`. */
export interface CommandPattern {
  /** The one command that a pattern without a star matches exactly; undefined for a pattern with a star. */
  readonly exact: string | undefined
  readonly matches: (command: string) => boolean
}

/**
 * Follows the CLI: `git status:*` and `git status *` match that command with any arguments or none, `git*` matches any
 * text with that beginning, and a star elsewhere matches any text. A backslash escapes a star only in a pattern that
 * also has an unescaped one.
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

/** Whether a command, used as a pattern, matches only itself. */
export function isExact(command: string): boolean {
  return commandPattern(command).exact === command
}

function withArguments(prefix: string): CommandPattern {
  return { exact: undefined, matches: (command) => command === prefix || command.startsWith(`${prefix} `) }
}
