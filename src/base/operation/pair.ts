import { z } from 'zod'
import { Thread } from '../protocol/names.ts'

export const FromTeam = z.string().optional().describe('Your team. Default: the one your connection identifies')

export const ThreadInput = Thread.optional().describe('Default main')

/** Identifies the conversation of a call. `toTeam` is the name that send_message has for `team`. */
export const SessionInput = z.object({
  team: z.string().optional().describe('The team that answers you'),
  toTeam: z.string().optional().describe('The same as team'),
  fromTeam: FromTeam,
  thread: ThreadInput,
})

/** The id of a turn, or a unique beginning of it. */
export const TurnIdInput = z.string().min(1)

/** The caller's time zone, which decides when a day begins. */
export const OffsetMinutes = z
  .number()
  .int()
  .min(-14 * 60)
  .max(14 * 60)
  .describe('Offset of midnight in minutes east of UTC. Default 0')

const count = z.number().int()

/** How many turns ended with each outcome. */
export const TurnCounts = z.object({
  total: count,
  active: count,
  completed: count,
  failed: count,
  cancelled: count,
  timedOut: count,
  inDoubt: count,
})
