import type { AgentProcess } from '../../base/agent/process.ts'
import type { Session } from './session.ts'

/** A person's process in which a conversation is open. */
export interface Holder {
  readonly pid: number
  /** When Iris first saw the conversation there, milliseconds since the epoch. */
  readonly since: number
  /** The id of the background session of Claude Code. Undefined if the conversation is open in a terminal. */
  readonly job: string | undefined
}

/** The conversations that a person has open in a terminal. Iris starts no process for them until they are closed. */
export interface OpenElsewhere {
  /** Looks again at what is running on the team's machine. */
  readonly refresh: (team: string) => Promise<void>
  /** Where a person has the session's conversation open. */
  readonly holderOf: (session: Pick<Session, 'sessionId'>) => Holder | undefined
  /**
   * Starts a process for the session with `launch`. Resolves to undefined if a person has the conversation open, or
   * opens it in the meantime; Iris then ends the new process, which has no message yet.
   */
  readonly unlessHeld: (session: Session, launch: () => Promise<AgentProcess>) => Promise<AgentProcess | undefined>
  /**
   * Resolves once no person has the session's conversation open any more, when `signal` aborts, or when Iris stops.
   * Throws `session_held` after `ms` milliseconds.
   */
  readonly whenLeft: (session: Session, ms: number, signal: AbortSignal) => Promise<void>
}
