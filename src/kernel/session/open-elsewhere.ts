import type { AgentProcess } from '../../base/agent/process.ts'
import type { Session } from './session.ts'

/** Which conversations a person has open in a terminal: Iris starts no process for them meanwhile. */
export interface Holders {
  /** Looks at what runs on the machine of the team now. */
  readonly look: (team: string) => Promise<void>
  /** Pid of the process in which a person has it open. */
  readonly holderOf: (session: Pick<Session, 'sessionId'>) => number | undefined
  /**
   * Starts its process with `launch`. Undefined if a person has it open, or opens it meanwhile: the new process has no
   * message yet, so it ends.
   */
  readonly unlessHeld: (session: Session, launch: () => Promise<AgentProcess>) => Promise<AgentProcess | undefined>
  /** Resolves when no person has it open, on abort and on `close`. Throws SessionHeld after `ms` milliseconds. */
  readonly whenLeft: (session: Session, ms: number, signal: AbortSignal) => Promise<void>
}
