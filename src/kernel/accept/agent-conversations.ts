import { IrisError } from '../../base/protocol/error.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import type { SessionRow } from '../../platform/store/sessions.ts'
import type { Pool } from '../pool/pool.ts'
import { agentOfThread, agentThread } from '../session/agent-thread.ts'
import type { Session } from '../session/session.ts'
import type { Sessions } from '../session/sessions.ts'
import type { Ask } from '../turn/ask.ts'
import type { TurnHandle, Turns } from './turn-handle.ts'

export interface AgentAsk extends Omit<Pair, 'thread'> {
  readonly agentName: string
  /** Claude Code's id of the conversation to continue. If undefined, a new conversation begins. */
  readonly continueSessionId: string | undefined
  /** If undefined, the agent's own model answers, or the model of the continued conversation. */
  readonly model: string | undefined
  readonly ask: Omit<Ask, 'pair'>
}

export interface AgentConversationsParts {
  readonly sessions: Sessions
  readonly pool: Pick<Pool, 'stop'>
  readonly turns: Pick<Turns, 'ask'>
}

/** Asks agents. Each ask begins a new conversation unless it continues an earlier one. */
export class AgentConversations {
  readonly #parts: AgentConversationsParts

  constructor(parts: AgentConversationsParts) {
    this.#parts = parts
  }

  /**
   * Resolves once the message is accepted. Rejects as `Turns.ask` does, and with `unknown_session` and `process_busy`.
   */
  async ask(ask: AgentAsk): Promise<TurnHandle> {
    const earlier = this.#earlier(ask)
    return earlier === undefined ? this.#begin(ask) : this.#continue(earlier, ask)
  }

  /** The conversation to continue. Throws `unknown_session` if the agent has no conversation with that id. */
  #earlier({ from, to, agentName, continueSessionId }: AgentAsk): SessionRow | undefined {
    if (continueSessionId === undefined) return undefined
    const row = this.#parts.sessions.bySessionId(continueSessionId)
    const isIts = row?.from === from && row.to === to && agentOfThread(row.thread) === agentName
    if (row !== undefined && isIts) return row
    throw new IrisError(
      'unknown_session',
      `${from} has no conversation ${continueSessionId} with the agent "${agentName}" of ${to}.`,
      'Use the sessionId that invoke_agent returned for this agent and team, or leave continueSessionId out.',
    )
  }

  async #begin(ask: AgentAsk): Promise<TurnHandle> {
    const { sessions, pool } = this.#parts
    for (let number = 1; ; number++) {
      const pair = { from: ask.from, to: ask.to, thread: agentThread(ask.agentName, number) }
      const used = sessions.openLive(pair)
      if (used === undefined) return this.#askIn(sessions.open(pair), ask)
      if (used.queue.length === 0) await pool.stop(used, 'a new conversation with the agent begins')
      if (used.queue.length > 0) continue
      sessions.replace(used, 'a new conversation with the agent was begun')
      return this.#askIn(used, ask)
    }
  }

  async #continue(row: SessionRow, ask: AgentAsk): Promise<TurnHandle> {
    const { sessions, pool } = this.#parts
    const session = sessions.open(row)
    const stays = session.row.id === row.id && (ask.model === undefined || ask.model === session.row.model)
    if (!stays && session.queue.length === 0)
      await pool.stop(session, 'another conversation with the agent is taken up')
    if (stays || session.queue.length === 0) return this.#askIn(sessions.bringBack(row), ask)
    throw new IrisError(
      'process_busy',
      `This agent is already working in this conversation (turn ${session.queue[0]?.id}).`,
      'Continue the conversation when that turn has ended, or leave continueSessionId out to begin a new one.',
    )
  }

  /**
   * Must run in the same tick in which the conversation was found free, so that two concurrent calls never share it.
   */
  #askIn(session: Session, { model, continueSessionId, ask }: AgentAsk): Promise<TurnHandle> {
    // A new conversation does not inherit the model of an earlier one.
    if (model !== undefined || continueSessionId === undefined) this.#parts.sessions.useModel(session, model ?? null)
    const { from, to, thread } = session
    return this.#parts.turns.ask({ ...ask, pair: { from, to, thread } })
  }
}
