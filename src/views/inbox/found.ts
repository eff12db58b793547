import type { Need } from '../../base/protocol/inbox-needs.ts'
import type { KeptRow } from '../../features/inbox/rows.ts'
import type { Marked } from '../../features/inbox/state.ts'
import { subjectOf } from '../../features/inbox/subject.ts'
import type { InboxItem } from './contract.ts'

/** Something for the owner. `marked`: its row in the store, if that was read together with it. */
export interface Found extends Omit<InboxItem, 'state' | 'until'> {
  readonly sessionId: string
  readonly marked?: Marked
}

/** An item that, according to a feature, needs the owner. */
export function foundBy({ id, ...need }: Need): Found {
  return { ...need, subject: subjectOf(need.kind, id) }
}

/**
 * The items that the store keeps for the inbox: answers, expired questions, events without a message, and failures that
 * are marked done.
 */
export function foundOf(row: KeptRow): readonly Found[] {
  const { subject, sessionId, turn, message, text, toolName } = row
  const about = { subject, sessionId, at: row.since, marked: row, ...(turn !== null && { turnId: turn }) }
  if (subject.startsWith(subjectOf('event', ''))) return [{ ...about, kind: 'event' }]
  if (toolName !== null)
    return [{ ...about, kind: 'expired', toolName, permissionId: subject.slice(subject.indexOf(':') + 1) }]
  // The turn of this row has been deleted.
  if (message === null) return []
  const kind = subject.startsWith(subjectOf('failed', '')) ? 'failed' : 'answer'
  return [{ ...about, kind, message, ...(text !== null && { text }) }]
}
