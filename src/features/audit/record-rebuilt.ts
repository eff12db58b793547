import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../base/lib/clock.ts'
import { Audit } from './rows/audit.ts'
import { AuditTrail } from './rows/audit-trail.ts'

/** Records the gaps of the audit of a rebuilt store as an entry of the audit, with which the chain continues. */
export async function recordRebuilt(
  database: DatabaseSync,
  why: string,
  { path, clock }: { readonly path: string; readonly clock: Clock },
): Promise<void> {
  const { entries, head, breaks } = await new AuditTrail(database).verify()
  const gaps = breaks.flatMap(({ sequence, problem }) => (problem === 'does_not_follow' ? [sequence] : []))
  const detail = { why, entries, head: head?.hash ?? null, gaps }
  new Audit(database).record({ at: clock.now(), actor: 'iris', action: 'store.rebuilt', subject: path, detail })
}
