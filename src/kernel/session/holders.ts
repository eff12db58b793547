import type { AgentProcess } from '../../base/agent/process.ts'
import type { Session } from './session.ts'

/** A process of a person in which a conversation is open. */
export interface Holder {
  readonly pid: number
  /** When Iris saw it there first, milliseconds since the epoch. */
  readonly since: number
  /** The id of a background session of Claude Code; undefined: it is in a terminal. */
  readonly job: string | undefined
}

/** Which conversations a person has open in a terminal: Iris starts no process for them meanwhile. */
export interface Holders {
  /** Looks at what runs on the machine of the team now. */
  readonly look: (team: string) => Promise<void>
  /** Where a person has it open. */
  readonly holderOf: (session: Pick<Session, 'sessionId'>) => Holder | undefined
  /**
   * Starts its process with `launch`. Undefined if a person has it open, or opens it meanwhile: the new process has no
   * message yet, so it ends.
   */
  readonly unlessHeld: (session: Session, launch: () => Promise<AgentProcess>) => Promise<AgentProcess | undefined>
  /** Resolves when no person has it open, on abort and on `close`. Throws SessionHeld after `ms` milliseconds. */
  readonly whenLeft: (session: Session, ms: number, signal: AbortSignal) => Promise<void>
}
