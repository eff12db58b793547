import type { Session } from '../session/session.ts'
import type { Turn } from '../turn/turn.ts'
import type { Budgets } from './budgets.ts'
import type { OrchestratorParts } from './parts.ts'

/** The turn is in the ledger: an error here is logged, and the turn goes on. */
export function announce(
  turn: Turn,
  session: Session,
  budgets: Budgets,
  { at, log, publish }: Pick<OrchestratorParts, 'at' | 'log' | 'publish'>,
): void {
  try {
    budgets.opened(turn)
    publish({
      ...{ type: 'turn-accepted', turnId: turn.id, parentTurnId: turn.facts.parentTurn },
      ...{ ahead: session.queue.length - 1, ...session.ids },
    })
    at('accepted', turn)
  } catch (error) {
    log.error(`an accepted message could not be announced: ${String(error)}`, { turnId: turn.id })
  }
}
