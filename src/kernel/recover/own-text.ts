import type { OwnRequest } from '../../claude/driver/endings.ts'
import { continueText } from '../../claude/driver/envelope.ts'
import type { Session } from '../session/session.ts'
import type { Turn } from '../turn/turn.ts'

/** What Iris itself writes to an agent that already has the message. */
export interface OwnText {
  readonly request: OwnRequest
  /** `isKnown`: whether the conversation of the receiving process contains the turn's message. */
  readonly words: (isKnown: boolean) => string
}

/** The text that makes the agent continue a paused reply. */
export function goingOn({ facts, value }: Turn, session: Session): OwnText {
  const schema = value === undefined ? facts.responseSchema : null
  return { request: 'pause', words: (isKnown) => continueText(session, facts.message, schema, isKnown) }
}
