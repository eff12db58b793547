import { roleThread } from '../../base/protocol/role.ts'
import type { TurnResult } from '../../base/protocol/turn.ts'
import type { Ask } from '../../core/orchestrator/ask.ts'
import type { TurnHandle } from '../../core/orchestrator/turn-handle.ts'
import type { Domain } from './call.ts'

type Asked = Pick<Ask, 'pair' | 'role' | 'message' | 'responseSchema' | 'attachments'>

/** The earlier answer to this question, labelled with its date, if it still holds. */
export async function keptAnswer(
  ask: Asked,
  resultOf: (turn: TurnHandle) => Promise<TurnResult>,
  domain: Domain,
): Promise<TurnResult | undefined> {
  const { keptAnswers, turns } = domain
  if (!mayBeKept(ask, domain)) return undefined
  const found = await keptAnswers.find(questionOf(ask))
  if (found === undefined) return undefined
  const result = await resultOf(turns.handle(found.turn))
  if (result.status !== 'completed') return undefined
  keptAnswers.give(found, ask.pair, result.sessionId)
  const note = `This answer is of ${new Date(found.notedAt).toISOString()}: nothing that it relies on has changed since.`
  return { ...result, kept: { answeredAt: found.notedAt, note } }
}

export function watchAnswer(turnId: string, ask: Asked, domain: Domain): void {
  if (mayBeKept(ask, domain)) domain.keptAnswers.watch(turnId, questionOf(ask))
}

/** Files that came with a question, and teams of other hosts, cannot be compared. */
function mayBeKept({ pair, attachments }: Asked, { cluster, config }: Domain): boolean {
  return config().teams.has(pair.to) && cluster.hosts.hostOf(pair.to) === undefined && attachments === undefined
}

function questionOf({ pair, role, message, responseSchema }: Asked) {
  const thread = role === undefined ? pair.thread : roleThread(role, pair.thread)
  return { pair: { ...pair, thread }, role, message, responseSchema }
}
