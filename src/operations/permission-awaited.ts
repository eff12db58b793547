import type { FoundTurn } from '../orchestrator/orchestrator.ts'
import type { Questions } from '../permission/questions.ts'
import type { Turn } from '../turn/turn.ts'

interface Awaiting {
  readonly orchestrator: { find(id: string): FoundTurn | undefined }
  readonly questions: Pick<Questions, 'ofTurn'>
}

/**
 * The tool and the team about which somebody is asked before a living turn can go on, in it or in one that it waits for.
 * Not the input: whoever waits may be another team's agent.
 */
export function permissionAwaited(turn: Turn, domain: Awaiting): string | undefined {
  if (turn.end !== undefined) return undefined
  const own = domain.questions.ofTurn(turn.id)
  if (own) return `${own.toolName} (${own.to})`
  for (const id of turn.awaits) {
    const ask = domain.orchestrator.find(id)
    const below = ask && 'live' in ask ? permissionAwaited(ask.live, domain) : undefined
    if (below !== undefined) return below
  }
  return undefined
}
