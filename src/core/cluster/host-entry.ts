import { z } from 'zod'
import { TeamName } from '../../base/protocol/names.ts'
import { hostNames } from '../../platform/config/cluster.ts'
import { Count, cutText, Label, Moment, orAbsent, type Read, readBounded, Wire } from './bounds.ts'
import type { HostEntry } from './ports.ts'

/** Until when an account there is over a limit, and which. */
export const LimitThere = z.object({ until: Moment, window: Label(100).min(1) })

/** Characters of an announcement. */
const mostOfEntry = 512 * 1024
/** Characters of what a team says of itself: it goes into each agent's list of teams. */
export const mostOfDescription = 300

const Entry: z.ZodType<HostEntry> = z.object({
  wire: Wire,
  version: Label(100),
  key: z.string().max(200),
  teams: z
    .array(
      z.object({
        name: TeamName,
        description: cutText(mostOfDescription, 'a description').optional(),
        color: orAbsent(Label(50), 'a color'),
        askedBy: hostNames.max(1000).optional(),
        hosts: hostNames.max(100).optional(),
        limited: orAbsent(LimitThere, 'a limit'),
      }),
    )
    .max(1000),
  load: z
    .object({
      ...{ turns: Count, processes: Count },
      freeMiB: orAbsent(z.number().nonnegative().max(1e9), 'its memory'),
    })
    .optional(),
  drained: z.boolean().optional(),
  // A lease without an end would keep a dead host awake.
  leaseMs: z.number().positive().max(3_600_000),
})

/** What a host says of itself: another machine wrote it. */
export function readEntry(text: string): Read<HostEntry> {
  return readBounded(Entry, text, mostOfEntry)
}

/** Undefined: it cannot be read. */
export function hostEntryOf(text: string): HostEntry | undefined {
  return readEntry(text).value
}
