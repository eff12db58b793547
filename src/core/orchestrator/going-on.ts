import { goOn } from '../../claude/driver/envelope.ts'
import type { Turn } from '../../claude/turn/turn.ts'
import type { Session } from '../session/session.ts'

/** The text of a delivery. `isKnown`: the conversation of the process that gets it holds the turn's message. */
export type TextOf = (isKnown: boolean) => string

/** What makes the agent go on with a paused reply. */
export function goingOn({ facts, value }: Turn, session: Session): TextOf {
  const schema = value === undefined ? facts.responseSchema : null
  return (isKnown) => goOn(session, facts.message, schema, isKnown)
}
