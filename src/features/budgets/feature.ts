import type { Orchestrator } from '../../kernel/accept/orchestrator.ts'
import { feature } from '../../kernel/call/feature.ts'
import { Budgets, type BudgetsParts } from './budgets.ts'

interface Needs extends BudgetsParts {
  readonly orchestrator: Pick<Orchestrator, 'endTree'>
}

/** What a message, and everything that it causes, may use: turns, tokens, cost and time. What is used up ends the tree. */
export const budgets = feature('budgets', (parts: Needs) => {
  const kept = new Budgets(parts, (turnId, why) => void parts.orchestrator.endTree(turnId, why))
  return { gives: {}, seams: { budgets: kept } }
})
