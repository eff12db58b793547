import type { DeliveryRecord, Sought } from './delivery-record.ts'
import type { AgentProcess } from './process.ts'

/** A conversation, and the team whose agent leads it. */
export interface Recorded {
  readonly to: string
  readonly sessionId: string
}

/**
 * The kernel's view of an agent that answers a team's messages: its processes, and its own record of each conversation.
 * Requests from a process go to a `ControlHandler`. `S` is the kernel's session type.
 */
export interface Agent<S extends Recorded> {
  /**
   * Starts a session's process and waits until it is ready for a message. Continues the conversation if a record of it
   * exists.
   */
  launch(session: S, retries: Retries): Promise<AgentProcess>
  /**
   * The process that got this message from an earlier Iris and still has the conversation; undefined if there is none.
   * Throws `host_unreachable` if its machine stays unreachable.
   */
  takeUp(session: S, message: string, signal: AbortSignal): Promise<AgentProcess | undefined>
  readonly evidence: AgentEvidence
}

/** Is notified of each failed start, and decides whether Iris may try again. */
export interface Retries {
  failed(cause: string): void
  /** Pauses before the next start, then resolves to whether that start may begin. */
  allowed(): Promise<boolean>
}

/**
 * An agent's own record of a conversation, which recovery relies on. It is complete only when no process has the
 * conversation open. Rejects with errors of the machine and its files.
 */
export interface AgentEvidence {
  /** The state of a delivery: whether it was received, which of its tools started, and whether it was answered. */
  delivery(conversation: Recorded, sought: Sought): Promise<DeliveryRecord>
  /** Whether a process that continues the conversation knows the message of one of these deliveries. */
  holdsMessage(conversation: Recorded, deliveries: ReadonlySet<string>): Promise<boolean>
}
