import type { Line } from '../../base/agent/line.ts'
import type { Amounts, Budget, SharedBudget } from '../../base/protocol/budget.ts'
import type { Usage } from '../../base/protocol/turn.ts'
import type { TurnRow } from '../../platform/store/ledger.ts'
import type { Turn } from './turn.ts'

/** What a turn and everything it caused have used, and what remains of the turn's own budget, if it has one. */
export interface TreeFigures {
  readonly used: Amounts
  readonly budget?: Budget
  readonly left?: Budget
  /** The budget that the turn shares with other turns of one call, and what all of them have used. */
  readonly shared?: { readonly used: Amounts; readonly budget: Budget; readonly left: Budget }
}

/** The budgets of messages, including everything they cause. */
export interface TreeBudgets {
  /** Returns the new turn's own budget. Throws `over_budget` if a budget that covers the turn has nothing left. */
  readonly admit: (parent: Turn | undefined, asked: Budget | undefined, shared?: SharedBudget) => Budget | undefined
  /** How much the turn and everything it causes may still use of the budgets that cover it. */
  readonly leftFor: (turn: Turn) => Budget | undefined
  /** Called when a turn has been accepted. */
  readonly opened: (turn: Turn) => void
  /** Resumes a turn that an earlier daemon accepted. The time since its acceptance counts against its budgets. */
  readonly takenUp: (turn: Turn) => void
  /**
   * Called when all turns have been resumed. Ends trees that had already exceeded a budget when the earlier daemon
   * died.
   */
  readonly look: () => void
  /** Counts the tokens that a line of a running turn reports. */
  readonly saw: (turn: Turn, line: Line) => void
  /**
   * Called when a turn has ended. The usage in the CLI's result may exceed what the turn's lines reported; the rest is
   * counted here.
   */
  readonly settled: (turn: Turn, usage: Usage | null) => void
  /** Called when Iris is stopping. The next start restores the budgets' accounts from the ledger. */
  readonly close: () => void
  /**
   * Figures of a turn and everything it caused. While a budget's account is open, the figures include tokens that no
   * result has reported yet. `now`: milliseconds since the epoch, by the turn's own clock while the turn is in memory.
   */
  readonly figures: (
    turnId: string,
    facts: Pick<TurnRow, 'budget' | 'acceptedAt' | 'sharedBudget'>,
    now?: number,
  ) => TreeFigures
}
