import type { Needs } from './inbox-needs.ts'
import type { LastTurnView, SwitchboardSession } from './session-view.ts'

/** The states of a conversation, as every screen, list and guide names them; in sort order. */
export const standings = [
  'waiting for you',
  'failed',
  'open elsewhere',
  'unreachable',
  'working',
  'starting',
  'queued',
  'idle',
  'ending',
  'asleep',
  'archived',
] as const
export type Standing = (typeof standings)[number]

/** The state of a conversation by its process, if nothing more important applies. */
const stateWords = {
  stopped: 'asleep',
  spawning: 'starting',
  idle: 'idle',
  processing: 'working',
  terminating: 'ending',
} as const

export type Judged = Pick<SwitchboardSession, 'processState' | 'queueLength'> &
  Partial<
    Pick<
      SwitchboardSession,
      | 'status'
      | 'breaker'
      | 'heldBy'
      | 'unreachableSince'
      | 'waitsForPermission'
      | 'waitsFor'
      | 'runningTurnId'
      | 'lastTurn'
      | 'archivedWhy'
      | 'transcriptMissingSince'
    >
  >

export function standingOf(session: Judged): Standing {
  const { status, breaker, heldBy, unreachableSince, waitsForPermission } = session
  const { processState, queueLength, runningTurnId, lastTurn } = session
  if (status === 'archived') return 'archived'
  if (waitsForPermission !== undefined) return 'waiting for you'
  if (breaker !== undefined) return 'failed'
  if (heldBy !== undefined) return 'open elsewhere'
  if (unreachableSince !== undefined) return 'unreachable'
  if (processState === 'processing') return 'working'
  if (processState === 'spawning') return stateWords[processState]
  if (runningTurnId !== undefined) return processState === 'idle' ? 'working' : 'queued'
  if (queueLength > 0) return 'queued'
  return lastTurn && isFailure(lastTurn) ? 'failed' : stateWords[processState]
}

/** The state of a turn; for a turn that waits for a person, the state of its conversation. */
export function turnStandingOf<Status extends string>(turn: {
  readonly status: Status
  readonly waitsForPermission?: string | undefined
  readonly waitsToBeLetIn?: boolean | undefined
}): Status | 'waiting for you' {
  return turn.waitsForPermission === undefined && turn.waitsToBeLetIn !== true ? turn.status : 'waiting for you'
}

const failures: ReadonlySet<string> = new Set(['failed', 'timed_out', 'in_doubt'])

/** Whether a turn ended without an answer, was not cancelled, and no person has dismissed the failure. */
export function isFailure({ status, isDismissed }: Pick<LastTurnView, 'status' | 'isDismissed'>): boolean {
  return failures.has(status) && !isDismissed
}

/** Why a conversation needs a person; undefined if it needs nobody. The only place that decides this. */
export function needOf(session: SwitchboardSession): keyof Needs | undefined {
  const standing = standingOf(session)
  if (standing === 'waiting for you') return 'waiting'
  if (standing === 'failed') return 'failed'
  return standing === 'open elsewhere' && isBusy(session) ? 'openElsewhere' : undefined
}

/** Whether a message of the session is running or waiting. */
export function isBusy({ runningTurnId, queueLength }: SwitchboardSession): boolean {
  return runningTurnId !== undefined || queueLength > 0
}
