import type { DeliveryReason } from '../../platform/store/ledger.ts'
import type { NewToolStart } from '../../platform/store/tool-starts.ts'
import type { Session } from './session.ts'

/**
 * Conversations of teams that live on several hosts. One host leads each of them at a time, and what it does is in a
 * log that all of them read before it does it. So another host can take the lead when that one dies, and a host that
 * has lost the lead can do nothing more.
 */
export interface SharedConversations {
  /** Whether other hosts may lead this conversation too. */
  concerns(session: Session): boolean
  /** Resolves once the log has the delivery. False: another host leads, and the turn is cancelled here. */
  delivers(session: Session, turnId: string, uuid: string, why: DeliveryReason): Promise<boolean>
  /** Like `delivers`, but before a tool may run. Rejects if the log is unreachable for too long. */
  starts(session: Session, start: NewToolStart | undefined): Promise<boolean>
}
