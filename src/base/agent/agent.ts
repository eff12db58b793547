import type { DeliveryRecord, Sought } from './delivery-record.ts'
import type { AgentProcess } from './process.ts'

/** A conversation, and the team whose agent leads it. */
export interface Recorded {
  readonly to: string
  readonly sessionId: string
}

/**
 * What answers the messages of a team, as the kernel needs it: its processes, and what its own record of a conversation says.
 * What a process asks goes to a `ControlHandler`. `S` is a session as the kernel knows it.
 */
export interface Agent<S extends Recorded> {
  /** Starts the process of a session and waits until it can take a message. Goes on with the conversation if it is recorded. */
  launch(session: S, retries: Retries): Promise<AgentProcess>
  /**
   * The process to which a former Iris gave this message, and which still leads the conversation; undefined: none does. Throws
   * `host_unreachable` if its machine stays out of reach.
   */
  takeUp(session: S, message: string, signal: AbortSignal): Promise<AgentProcess | undefined>
  readonly evidence: AgentEvidence
}

/** Learns of each failed start, and decides whether another may follow. */
export interface Retries {
  failed(cause: string): void
  /** Resolves after the pause before the next start, with whether that may begin. */
  allowed(): Promise<boolean>
}

/**
 * What an agent's own record of a conversation says, on which recovery relies. It is complete only once no process leads the
 * conversation. Rejects with the errors of the machine and of its files.
 */
export interface AgentEvidence {
  /** What became of a delivery: was it taken, which of its tools were begun, was it answered? */
  delivery(conversation: Recorded, sought: Sought): Promise<DeliveryRecord>
  /** Whether a process that goes on with the conversation has the message that one of the deliveries carried. */
  holdsMessage(conversation: Recorded, deliveries: ReadonlySet<string>): Promise<boolean>
}
