import type { Orchestrator } from '../../kernel/accept/orchestrator.ts'
import { feature } from '../../kernel/call/feature.ts'
import { Budgets, type BudgetsParts } from './budgets.ts'

interface Needs extends BudgetsParts {
  readonly orchestrator: Pick<Orchestrator, 'endTree'>
}

/**
 * Budgets: the turns, tokens, cost and time that a message may use, including everything it causes. A used-up budget
 * ends the tree.
 */
export const budgets = feature('budgets', (parts: Needs) => {
  const kept = new Budgets(parts, (turnId, why) => void parts.orchestrator.endTree(turnId, why))
  return { gives: {}, seams: { budgets: kept } }
})
