import { call } from '../../shared/api/operations.ts'
import { pairTitle } from '../../shared/format/asker.ts'
import type { Session } from './changes.ts'
import { texts } from './texts.ts'

export type Verb = 'wake' | 'sleep' | 'cancel' | 'reboot' | 'fork' | 'delete'

export interface VerbOptions {
  readonly deleteTranscripts: boolean
  /** The thread of the fork. */
  readonly newThread: string
}

/**
 * Whether somebody's work or open terminal is in the way. A verb must then be forced, and the dialog says what is lost.
 */
function mustForce({ runningTurnId, queueLength, heldBy }: Session): boolean {
  return runningTurnId !== undefined || queueLength > 0 || heldBy !== undefined
}

/** Whether the verb takes nothing away, and so needs no confirmation. */
export function isHarmless(verb: Verb, session: Session): boolean {
  return verb === 'wake' || (verb === 'sleep' && !mustForce(session))
}

export function isPossible(verb: Verb, { status, processState, runningTurnId, messageCount }: Session): boolean {
  if (status === 'archived') return false
  if (verb === 'wake') return processState === 'stopped'
  if (verb === 'sleep') return processState !== 'stopped' && processState !== 'terminating'
  if (verb === 'cancel') return runningTurnId !== undefined
  return verb === 'fork' ? messageCount > 0 : true
}

/** Performs the verb, and returns a sentence about what Iris did. Throws a Problem. */
export async function perform(verb: Verb, session: Session, options: VerbOptions): Promise<string> {
  const { from, to, thread } = session
  const pair = { team: to, fromTeam: from, thread }
  const force = mustForce(session)
  const title = pairTitle(session)
  switch (verb) {
    case 'wake': {
      const { alreadyAwake } = await call('team_wake', pair)
      return alreadyAwake ? texts.performed.wasAwake(title) : texts.performed.isAwake(title)
    }
    case 'sleep': {
      const { status, cancelledTurnId } = await call('team_sleep', { ...pair, force })
      if (status === 'already_asleep') return texts.performed.wasAsleep(title)
      return cancelledTurnId === undefined
        ? texts.performed.isAsleep(title)
        : texts.performed.isAsleepAndCancelled(title)
    }
    case 'cancel':
      return (await call('session_cancel', pair)).message
    case 'reboot':
      return (await call('session_reboot', { ...pair, force })).message
    case 'fork': {
      const forked = await call('session_fork', { toTeam: to, fromTeam: from, thread, newThread: options.newThread })
      return texts.performed.forked(title, forked.thread)
    }
    case 'delete':
      return (await call('session_delete', { ...pair, force, deleteTranscripts: options.deleteTranscripts })).message
  }
}
