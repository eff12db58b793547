import type { SwitchboardSession } from './operations/switchboard.ts'

/** How a session stands, in the word that matters most to a person; in the order in which a list of them is sorted. */
export const standings = [
  'left alone',
  'asks you',
  'held by you',
  'working',
  'starting',
  'waiting',
  'idle',
  'ending',
  'asleep',
  'archived',
] as const
export type Standing = (typeof standings)[number]

/** The state of a process, in the words of people. */
export const stateWords = {
  stopped: 'asleep',
  spawning: 'starting',
  idle: 'idle',
  processing: 'working',
  terminating: 'ending',
} as const

export function standingOf(session: SwitchboardSession): Standing {
  const { status, breaker, heldBy, waitsForPermission, processState, queueLength, runningTurnId } = session
  if (status === 'archived') return 'archived'
  if (breaker !== undefined) return 'left alone'
  if (waitsForPermission !== undefined) return 'asks you'
  if (heldBy !== undefined) return 'held by you'
  if (processState === 'processing') return 'working'
  if (processState === 'spawning') return stateWords[processState]
  if (runningTurnId !== undefined) return processState === 'idle' ? 'working' : 'waiting'
  if (queueLength > 0) return 'waiting'
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
