import { z } from 'zod'
import { TeamName } from '../../base/protocol/names.ts'
import { hostNames } from '../../platform/config/cluster.ts'
import type { HostEntry } from './ports.ts'
import type { Seal } from './seal.ts'
import { openJson } from './signed-json.ts'

/** What a host says of itself is signed from this version of an entry on. */
export const firstSignedEntry = 3

/** What an entry is signed as, so that it counts for no other host and as nothing else. */
export function aboutEntry(host: string): readonly string[] {
  return ['entry', host]
}

/** It is shown in terminals. */
const LimitName = z
  .string()
  .max(100)
  .regex(/^\P{Cc}+$/u)
/** The last moment that a date can be. */
const latestMs = 8.64e15

/** Until when an account there is over a limit, and which. */
export const LimitThere = z.object({ until: z.int().nonnegative().max(latestMs), window: LimitName })

const Entry: z.ZodType<HostEntry> = z.object({
  wire: z.int(),
  version: z.string().max(100),
  key: z.string().max(1000),
  teams: z
    .array(
      z.object({
        name: TeamName,
        description: z.string().optional(),
        color: z.string().optional(),
        askedBy: hostNames.optional(),
        hosts: hostNames.optional(),
        limited: LimitThere.optional().catch(undefined),
      }),
    )
    .max(1000),
  load: z
    .object({
      ...{ turns: z.int().nonnegative(), processes: z.int().nonnegative() },
      freeMiB: z.number().nonnegative().optional().catch(undefined),
    })
    .optional(),
  drained: z.boolean().optional(),
  left: z.boolean().optional(),
  count: z.int().nonnegative().optional(),
  // A lease without an end would keep a dead host awake.
  leaseMs: z.number().positive().max(3_600_000),
})

/** What a host says of itself: another machine wrote it. Undefined: it cannot be read. */
export function hostEntryOf(text: string): HostEntry | undefined {
  try {
    return Entry.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** The count of an announcement that this host itself has signed; 0: it has not. */
export function ownCount(text: string | undefined, self: string, { publicKey }: Seal): number {
  const json = text === undefined ? undefined : openJson(text, aboutEntry(self), publicKey)
  return (json === undefined ? undefined : hostEntryOf(json)?.count) ?? 0
}
