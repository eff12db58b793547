import { z } from 'zod'
import { TeamName } from '../../base/protocol/names.ts'
import { hostNames } from '../../platform/config/cluster.ts'
import { Count, cutText, Label, Moment, orAbsent, type Read, readBounded, Wire } from './bounds.ts'
import type { HostEntry } from './ports.ts'
import type { Seal } from './seal.ts'
import { openJson } from './signed-json.ts'

/** From this version on, a host signs its entry. */
export const firstSignedEntry = 3
/**
 * From this version on, a host reads what an ask says about its turn's progress, and reports the progress of its own
 * turns. This Iris announces this version.
 */
export const firstWithKnown = 4

/** The signing context of an entry, so that the signature is not valid for another host or purpose. */
export function aboutEntry(host: string): readonly string[] {
  return ['entry', host]
}

/** Set while the account there is over a limit: which limit, and until when. */
export const LimitThere = z.object({ until: Moment, window: Label(100).min(1) })

/** The maximum length of an announcement, in characters. */
const maxOfEntry = 512 * 1024
/** The maximum length of a team's description, in characters. The description is part of each agent's list of teams. */
const maxOfDescription = 300

const Entry: z.ZodType<HostEntry> = z.object({
  wire: Wire,
  version: Label(100),
  key: z.string().max(200),
  teams: z
    .array(
      z.object({
        name: TeamName,
        description: cutText(maxOfDescription, 'a description').optional(),
        color: orAbsent(Label(50), 'a color'),
        askedBy: hostNames.max(1000).optional(),
        hosts: hostNames.max(100).optional(),
        limited: orAbsent(LimitThere, 'a limit'),
      }),
    )
    .max(1000),
  load: z
    .object({
      turns: Count,
      processes: Count,
      freeMiB: orAbsent(z.number().nonnegative().max(1e9), 'its memory'),
    })
    .optional(),
  drained: z.boolean().optional(),
  keeper: z.boolean().optional(),
  left: z.boolean().optional(),
  count: z.int().nonnegative().optional(),
  // If a lease could be endless, a dead host would count as awake.
  leaseMs: z.number().positive().max(3_600_000),
})

/** A host's entry about itself, written by another machine. */
export function readEntry(text: string): Read<HostEntry> {
  return readBounded(Entry, text, maxOfEntry)
}

/** Undefined if the entry cannot be read. */
export function hostEntryOf(text: string): HostEntry | undefined {
  return readEntry(text).value
}

/** The count of this host's own announcement, if this host signed it; otherwise 0. */
export function ownCount(text: string | undefined, self: string, { publicKey }: Seal): number {
  const json = text === undefined ? undefined : openJson(text, aboutEntry(self), publicKey)
  return (json === undefined ? undefined : hostEntryOf(json)?.count) ?? 0
}
