import { roleThread } from '../../../base/protocol/role.ts'
import type { TurnResult } from '../../../base/protocol/turn.ts'
import type { TurnHandle, Turns } from '../../../kernel/accept/turn-handle.ts'
import type { Ask } from '../../../kernel/turn/ask.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { KeptAnswers } from '../kept-answers.ts'

/** The dependencies of these operations. */
export interface ReuseAnswersParts {
  readonly config: () => Config
  /** Turns by their ids. */
  readonly turns: Turns
  /** Hosts with their own Iris. */
  readonly cluster: { readonly hosts: { hostOf(team: string): unknown } }
  readonly keptAnswers: KeptAnswers
}

/** An ask for which an earlier answer may be reused. */
type Asked = Pick<Ask, 'pair' | 'role' | 'message' | 'responseSchema' | 'attachments'> & {
  readonly selfContained: boolean
}

/** The earlier answer to this question, if it is still valid, with a note that gives its date. */
export async function keptAnswer(
  ask: Asked,
  resultOf: (turn: TurnHandle) => Promise<TurnResult>,
  parts: ReuseAnswersParts,
): Promise<TurnResult | undefined> {
  const { keptAnswers, turns } = parts
  if (!mayBeKept(ask, parts)) return undefined
  const found = await keptAnswers.find(questionOf(ask))
  if (found === undefined) return undefined
  const result = await resultOf(turns.handle(found.turn))
  if (result.status !== 'completed') return undefined
  keptAnswers.give(found, ask.pair, result.sessionId)
  const note = `This answer is from ${new Date(found.notedAt).toISOString()}: nothing that it relies on has changed since.`
  return { ...result, kept: { answeredAt: found.notedAt, note } }
}

/**
 * Watches the turn's answer for later reuse. Does nothing for a turn that has ended, because it gets no more events, or
 * if the message joined another turn, because that turn also answers another message.
 */
export async function watchAnswer(turn: TurnHandle, ask: Asked, parts: ReuseAnswersParts): Promise<void> {
  if (!mayBeKept(ask, parts)) return
  const status = await turn.status()
  const live = status !== undefined && 'live' in status ? status.live : undefined
  if (live === undefined || live.end !== undefined || live.facts.message !== ask.message) return
  parts.keptAnswers.watch(turn.id, questionOf(ask))
}

/**
 * Whether the answer may be reused. Files that came with a question cannot be compared, and neither can the files of
 * teams on other hosts.
 */
function mayBeKept({ pair, attachments }: Asked, { cluster, config }: ReuseAnswersParts): boolean {
  return config().teams.has(pair.to) && cluster.hosts.hostOf(pair.to) === undefined && attachments === undefined
}

function questionOf({ pair, role, message, responseSchema, selfContained }: Asked) {
  const thread = role === undefined ? pair.thread : roleThread(role, pair.thread)
  return { pair: { ...pair, thread }, role, message, responseSchema, selfContained }
}
