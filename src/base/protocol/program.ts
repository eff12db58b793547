import { z } from 'zod'

/**
 * The name of a program with its own token. It has no colon, because a colon separates an asker's kind from its name.
 */
export const ProgramName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'a program is 1 to 32 small letters, digits, _ or -, and starts with a letter')

const prefix = 'program:'

/** The name under which a program asks, `program:<name>`. No team, chat or person in a browser can have such a name. */
export function programAsker(name: string): string {
  return `${prefix}${name}`
}

export function isProgramAsker(asker: string): boolean {
  return asker.startsWith(prefix)
}
