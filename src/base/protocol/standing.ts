import type { SwitchboardSession } from './operations/switchboard.ts'

/** The state of a conversation, in the one word that every screen, list and guide uses; in the order in which lists sort. */
export const standings = [
  'failed',
  'waiting for you',
  'open elsewhere',
  'working',
  'starting',
  'queued',
  'idle',
  'ending',
  'asleep',
  'archived',
] as const
export type Standing = (typeof standings)[number]

/** The state of a process, where nothing else matters more. */
const stateWords = {
  stopped: 'asleep',
  spawning: 'starting',
  idle: 'idle',
  processing: 'working',
  terminating: 'ending',
} as const

type Judged = Pick<SwitchboardSession, 'processState' | 'queueLength'> &
  Partial<Pick<SwitchboardSession, 'status' | 'breaker' | 'heldBy' | 'waitsForPermission' | 'runningTurnId'>>

export function standingOf(session: Judged): Standing {
  const { status, breaker, heldBy, waitsForPermission, processState, queueLength, runningTurnId } = session
  if (status === 'archived') return 'archived'
  if (breaker !== undefined) return 'failed'
  if (waitsForPermission !== undefined) return 'waiting for you'
  if (heldBy !== undefined) return 'open elsewhere'
  if (processState === 'processing') return 'working'
  if (processState === 'spawning') return stateWords[processState]
  if (runningTurnId !== undefined) return processState === 'idle' ? 'working' : 'queued'
  if (queueLength > 0) return 'queued'
  return stateWords[processState]
}

/** Somebody waits for an answer in it. */
export function isBusy({ runningTurnId, queueLength }: SwitchboardSession): boolean {
  return runningTurnId !== undefined || queueLength > 0
}

/** All of it in a sentence, for whoever cannot see the badge's colour or wants to know why. */
export function whyStanding(session: SwitchboardSession): string {
  const { breaker, heldBy, waitsForPermission, archivedWhy, transcriptMissingSince } = session
  if (breaker) return `Its process failed five times within a minute. The last time: ${breaker.cause}`
  if (waitsForPermission !== undefined) return `It asks whether it may use ${waitsForPermission}.`
  if (heldBy !== undefined) return `It is open in a terminal (process ${heldBy}); messages wait.`
  if (archivedWhy !== undefined) return `Archived: ${archivedWhy}.`
  if (transcriptMissingSince !== undefined) return 'Its transcript is missing: the next message begins afresh.'
  return ''
}
