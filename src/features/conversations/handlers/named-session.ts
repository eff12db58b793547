import { IrisError } from '../../../base/protocol/error.ts'
import type { SessionHandles } from '../../../kernel/accept/session-handle.ts'
import { meantId } from '../../../kernel/call/named-turn.ts'
import type { SessionList } from '../../../platform/store/session-list.ts'
import type { SessionRow } from '../../../platform/store/sessions.ts'

/** The dependencies of these operations. */
export interface NamedSessionParts {
  /** Conversations by their pairs. */
  readonly sessions: SessionHandles
  readonly sessionList: SessionList
}

/**
 * The conversation with that id, or with the only id that begins with these characters; archived ones are included.
 * Throws `unknown_session`.
 */
export function namedSession(named: string, { sessions, sessionList }: NamedSessionParts): SessionRow {
  const [sessionId = named, another] = sessionList.beginningWith(named.toLowerCase())
  if (another !== undefined) {
    const what = `More than one conversation begins with ${named}.`
    throw new IrisError('unknown_session', what, 'Give more characters of its id.')
  }
  const row = sessions.bySessionId(sessionId)
  if (row !== undefined) return row
  throw new IrisError(
    'unknown_session',
    `There is no conversation ${named}.`,
    `${meantId(named, sessionList.latest())}list_sessions lists them; status: all includes archived ones.`,
  )
}
