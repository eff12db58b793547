import type { DeliveryReason } from '../../platform/store/ledger.ts'
import type { NewToolStart } from '../../platform/store/tool-starts.ts'
import type { Session } from './session.ts'

/**
 * Conversations of teams that live on several hosts. Each conversation is led by one host at a time. Before the leader
 * acts, it writes the action to a log that all hosts read. Therefore another host can take the lead when the leader
 * dies, and a host that has lost the lead can do nothing more.
 */
export interface SharedConversations {
  /** Whether other hosts may lead this conversation too. */
  concerns(session: Session): boolean
  /**
   * Resolves once the log has the delivery. Resolves to false if another host leads; the turn is then cancelled here.
   */
  delivers(session: Session, turnId: string, uuid: string, why: DeliveryReason): Promise<boolean>
  /** Like `delivers`, but before a tool may run. Rejects if the log is unreachable for too long. */
  starts(session: Session, start: NewToolStart | undefined): Promise<boolean>
}
