import type { PublishedOf } from '../../base/protocol/event.ts'
import { pairText } from '../../base/protocol/pair.ts'
import { type EventTexts, sessionLine } from '../../kernel/call/event-texts.ts'
import type { TakeOverEvents } from './contract.ts'

/** The log and audit entries for this feature's events. */
export const takeOverEvents: EventTexts<keyof TakeOverEvents> = {
  'session-held': {
    log: ({ pid, as, ...event }) =>
      sessionLine(event, 'info', 'A person has opened the conversation; messages wait', { pid, as }),
    audit: (event) => ofPerson('session.held', event),
  },
  'session-released': {
    log: ({ pid, ...event }) => sessionLine(event, 'info', 'The person has left the conversation', { pid }),
    audit: (event) => ofPerson('session.released', event),
  },
}

function ofPerson(action: string, event: PublishedOf<keyof TakeOverEvents>) {
  const { pid, sessionId } = event
  return { actor: 'owner', action, subject: pairText(event), detail: { sessionId, pid } }
}
