import type { Questions } from '../permission/questions.ts'
import type { Turn } from '../turn/turn.ts'

/**
 * The tool and the team about which somebody is asked before a living turn can go on, in it or in one that it waits for.
 * Not the input: whoever waits may be another team's agent.
 */
export function permissionAwaited(turn: Turn, questions: Pick<Questions, 'ofTurn'>): string | undefined {
  if (turn.end !== undefined) return undefined
  const own = questions.ofTurn(turn.id)
  if (own) return `${own.toolName} (${own.to})`
  for (const ask of turn.awaits) {
    const below = permissionAwaited(ask, questions)
    if (below !== undefined) return below
  }
  return undefined
}
