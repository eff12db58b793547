import type { z } from 'zod'
import type { listAudit, verifyAudit } from '../../base/protocol/operations/audit.ts'
import type { AuditRow } from '../../platform/store/audit-trail.ts'
import type { Domain } from './call.ts'
import { knownParties } from './known-parties.ts'

const usualPage = 100

export function audit(
  { since, team, before, limit = usualPage }: z.output<typeof listAudit.input>,
  domain: Domain,
): z.output<typeof listAudit.output> {
  const { auditTrail, clock } = domain
  // One more tells whether there are older ones.
  const rows = auditTrail.page({ since, team, before }, limit + 1)
  // What a team that is long gone once did stays to be found.
  if (rows.length === 0) knownParties([team], domain)
  const page = rows.slice(0, limit)
  return {
    entries: page.map(told),
    ...(rows.length > limit && { nextBefore: page.at(-1)!.sequence }),
    timestamp: clock.now(),
  }
}

function told({ sequence, at, actor, action, subject, decision, inputHash, detail, hash }: AuditRow) {
  return { sequence, at, actor, action, subject, decision, inputHash, detail: JSON.parse(detail), hash }
}

export async function verified(
  { head: noted }: z.output<typeof verifyAudit.input>,
  { auditTrail, clock }: Domain,
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
