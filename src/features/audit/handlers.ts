import type { z } from 'zod'
import type { Clock } from '../../base/lib/clock.ts'
import { type KnownParticipantsParts, knownParticipants } from '../../kernel/call/known-participants.ts'
import type { listAudit, verifyAudit } from './contract.ts'
import type { AuditRow, AuditTrail } from './rows/audit-trail.ts'

/** The dependencies of these operations. */
export interface AuditParts extends KnownParticipantsParts {
  readonly clock: Clock
  readonly auditTrail: AuditTrail
}

const usualPage = 100

type AuditInput = z.output<typeof listAudit.input>
type AuditOutput = z.output<typeof listAudit.output>
type Readable = Pick<AuditParts, 'clock'> & { readonly auditTrail: Trail }
export type Trail = Pick<AuditParts['auditTrail'], 'page' | 'holds' | 'verify'>

export function audit(input: AuditInput, parts: AuditParts): AuditOutput {
  const page = auditPage(input, parts)
  // Checks the name only for an empty page, because the actions of a team that no longer exists can still be found.
  if (page.entries.length === 0) knownParticipants([input.team], parts)
  return page
}

export function auditPage(
  { since, team, cursor, before: number, limit = usualPage }: AuditInput,
  { auditTrail, clock }: Readable,
): AuditOutput {
  const before = cursor === undefined ? number : Number(cursor)
  // One entry more than the page needs, to see whether there are older ones.
  const rows = auditTrail.page({ since, team, before }, limit + 1)
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1)!.sequence : undefined
  return {
    entries: page.map(entryView),
    ...(last !== undefined && { nextCursor: String(last), nextBefore: last }),
    timestamp: clock.now(),
  }
}

function entryView({ sequence, at, actor, action, subject, decision, inputHash, detail, hash }: AuditRow) {
  return { sequence, at, actor, action, subject, decision, inputHash, detail: JSON.parse(detail), hash }
}

export async function verified(
  { head: noted }: z.output<typeof verifyAudit.input>,
  { auditTrail, clock }: Readable,
): Promise<z.output<typeof verifyAudit.output>> {
  const { entries, head, breaks } = await auditTrail.verify()
  const headFound = noted === undefined ? undefined : auditTrail.holds(noted)
  return {
    whole: headFound !== false && breaks.every(({ explainedBy }) => explainedBy !== null),
    entries,
    head,
    ...(headFound !== undefined && { headFound }),
    breaks: [...breaks],
    timestamp: clock.now(),
  }
}
