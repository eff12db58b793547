import { z } from 'zod'

/** Names that would collide with properties of JavaScript objects or with Iris's own names. */
const reservedNames = new Set([
  'external',
  // Who asks from no team, as people read it.
  'you',
  'constructor',
  'prototype',
  '__proto__',
  'toString',
  'valueOf',
  'hasOwnProperty',
])

const teamNamePattern = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,99}$/

export function isReservedName(name: string): boolean {
  return reservedNames.has(name)
}

/** The name of a project that can be asked. */
export const TeamName = z
  .string()
  .regex(teamNamePattern, 'a team name is 1 to 100 letters, digits or . _ @ - and starts with a letter or digit')
  .refine((name) => !isReservedName(name), 'this name is reserved')

/** The name of one of the parallel conversations of a pair. */
export const Thread = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:@-]{0,99}$/, 'a thread is 1 to 100 letters, digits or . _ : @ -')
