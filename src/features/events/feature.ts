import { feature } from '../../kernel/call/feature.ts'
import { type EventsParts, list } from './handlers.ts'
import { KeptEvents, type KeptEventsParts } from './kept-events.ts'

/** The events of messages, read from the journal: each once, in order, even across restarts. */
export const events = feature('events', (parts: KeptEventsParts & Omit<EventsParts, 'keptEvents'>) => {
  const keptEvents = new KeptEvents(parts)
  return {
    gives: { keptEvents },
    handlers: { list_events: (input, call) => list(input, call, { ...parts, keptEvents }) },
  }
})
