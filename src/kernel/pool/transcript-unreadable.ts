import { IrisError } from '../../base/protocol/error.ts'
import type { Session } from '../session/session.ts'

/** The remedy for an unreadable transcript. Names no path. */
export function transcriptRemedy({ to, thread }: Pick<Session, 'to' | 'thread'>): string {
  return `Give the user of Iris the right to read Claude Code's record of the conversation, or repair the disk; or start the conversation over (session_reboot, team ${to}, thread ${thread}).`
}

/** The error for a conversation that exists but cannot be resumed now. `why`: the system's message. */
export function transcriptUnreadable(session: Pick<Session, 'to' | 'thread' | 'sessionId'>, why: string): IrisError {
  return new IrisError(
    'transcript_unreadable',
    `Claude Code's record of conversation ${session.sessionId} cannot be read: ${why}.`,
    transcriptRemedy(session),
  )
}
