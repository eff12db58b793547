import { z } from 'zod'

const ofJavaScript = 'every JavaScript object has a property with this name'

/** Names that would collide with properties of JavaScript objects or with Iris's own names, and why. */
const reservedNames: ReadonlyMap<string, string> = new Map([
  ['external', 'Iris uses it for a person or program outside every team'],
  // The name under which people see an asker without a team.
  ['you', 'Iris uses it for a person who asks from no team'],
  ...['constructor', 'prototype', '__proto__', 'toString', 'valueOf', 'hasOwnProperty'].map(
    (name) => [name, ofJavaScript] as const,
  ),
])

const teamNamePattern = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,99}$/

/** Why no team can have this name; undefined for any other name. */
export function whyReserved(name: string): string | undefined {
  return reservedNames.get(name)
}

/** The name of a project that can be asked. */
export const TeamName = z
  .string()
  .regex(teamNamePattern, 'a team name is 1 to 100 letters, digits or . _ @ - and starts with a letter or digit')
  .refine((name) => whyReserved(name) === undefined, 'this name is reserved')

/** The name of one of the parallel conversations of a pair. */
export const Thread = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:@-]{0,99}$/, 'a thread is 1 to 100 letters, digits or . _ : @ -')
