import type { Turns } from '../../../kernel/accept/turn-handle.ts'
import type { Questions } from '../questions.ts'

export interface Awaiting {
  readonly turns: Pick<Turns, 'living'>
  readonly questions: Pick<Questions, 'ofTurn'>
}

/**
 * The tool and the team of the permission question for which a turn that has not ended is waiting. The question may be
 * the turn's own, or that of a turn it waits for. Leaves out the tool's input, because the waiting caller may be
 * another team's agent.
 */
export async function permissionAwaited(turnId: string, parts: Awaiting): Promise<string | undefined> {
  const turn = (await parts.turns.living([turnId])).get(turnId)
  if (turn === undefined || turn.end !== undefined) return undefined
  if (turn.asksElsewhere !== undefined) return turn.asksElsewhere
  const own = parts.questions.ofTurn(turnId)
  if (own) return `${own.toolName} (${own.to})`
  for (const id of turn.awaits) {
    const below = await permissionAwaited(id, parts)
    if (below !== undefined) return below
  }
  return undefined
}
