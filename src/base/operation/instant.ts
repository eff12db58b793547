import { z } from 'zod'
import { millisecondsOf } from '../lib/instant.ts'

/** An input for a moment: milliseconds since the epoch, or ISO 8601. Parses to milliseconds. */
export const Instant = z.union([z.number().nonnegative(), z.string().max(40)]).transform((given, context) => {
  const ms = millisecondsOf(given)
  if (!Number.isNaN(ms)) return ms
  context.addIssue({ code: 'custom', message: 'is not a time: use 2026-11-22T10:00Z, or milliseconds since the epoch' })
  return z.NEVER
})
