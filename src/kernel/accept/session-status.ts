import type { ProcessState } from '../../base/protocol/event.ts'
import type { SessionRow } from '../../platform/store/sessions.ts'
import type { Broken } from '../pool/breaker.ts'
import type { Pool } from '../pool/pool.ts'
import type { OpenElsewhere } from '../session/open-elsewhere.ts'
import type { Session } from '../session/session.ts'

/** A session's process and queue at one moment, as data. */
export interface SessionActivity {
  readonly processState: ProcessState
  readonly process: { readonly pid: number; readonly startedAt: number } | undefined
  /** When the machine of its process became unreachable, milliseconds since the epoch. */
  readonly unreachableSince: number | undefined
  /** Ids of the turns that have not ended, in the order of the ledger. */
  readonly queue: readonly string[]
  readonly runningTurnId: string | undefined
  /** How many turns wait behind the running one. */
  readonly waiting: number
  /** Process starts and failures since Iris was started. */
  readonly starts: number
  readonly failures: number
  /** Set while the breaker is open or half-open. */
  readonly breaker: Broken | undefined
  /** Pid of the process in which a person has the conversation open. */
  readonly heldBy: number | undefined
}

/** A session at one moment: its row in the store, and its activity. */
export interface SessionStatus extends SessionRow, SessionActivity {}

interface Living {
  readonly pool: Pick<Pool, 'state' | 'process' | 'breakers'>
  readonly seams: { readonly holders: Pick<OpenElsewhere, 'holderOf'> }
}

/** `session` is undefined if the session was not used since Iris started. */
export function activityOf(sessionId: string, session: Session | undefined, { pool, seams }: Living): SessionActivity {
  const heldBy = seams.holders.holderOf({ sessionId })?.pid
  if (session === undefined) return { ...nothing, heldBy }
  const process = pool.process(session)
  return {
    processState: pool.state(session),
    process: process && { pid: process.pid, startedAt: process.startedAt },
    unreachableSince: process?.link.cutOff?.since,
    queue: session.queue.map(({ id }) => id),
    runningTurnId: session.running?.id,
    waiting: session.waiting,
    starts: session.starts,
    failures: pool.breakers.failures(session),
    breaker: pool.breakers.broken(session),
    heldBy,
  }
}

const nothing: SessionActivity = {
  processState: 'stopped',
  process: undefined,
  unreachableSince: undefined,
  queue: [],
  runningTurnId: undefined,
  waiting: 0,
  starts: 0,
  failures: 0,
  breaker: undefined,
  heldBy: undefined,
}
