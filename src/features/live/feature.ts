import { feature } from '../../kernel/call/feature.ts'
import type { Store } from '../../platform/store/store.ts'
import type { PushSource } from '../late/handlers.ts'
import { type LiveParts, promote } from './handlers.ts'
import { LiveAsks, type LiveAsksParts } from './live-asks.ts'
import { LiveAskRows } from './rows.ts'

interface Needs extends Omit<LiveParts, 'live'>, Omit<LiveAsksParts, 'rows'> {
  readonly database: Store
  readonly pushes: PushSource[]
}

/** Messages for the Claude Code that a person has open: its bridge fetches them, and its agent answers. */
export const live = feature('live', (parts: Needs) => {
  const asks = new LiveAsks({ ...parts, rows: new LiveAskRows(parts.database) })
  parts.pushes.push({
    take: (console, team) => asks.take(console, team),
    ready: (console, team, signal) => asks.ready(console, team, signal),
  })
  return {
    gives: { live: asks },
    seams: { openSessions: asks },
    handlers: { promote_turn: (input, call) => promote(input, call, { ...parts, live: asks }) },
    close: () => asks.close(),
  }
})
