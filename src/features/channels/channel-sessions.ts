import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { type Pair, pairText } from '../../base/protocol/pair.ts'
import type { Turns } from '../../kernel/accept/turn-handle.ts'
import type { Pool } from '../../kernel/pool/pool.ts'
import type { Session } from '../../kernel/session/session.ts'
import type { Sessions } from '../../kernel/session/sessions.ts'
import type { ChannelConfig } from '../../platform/config/config.ts'
import type { SessionRow, SessionRows } from '../../platform/store/sessions.ts'
import { newConversationText } from './answer-text.ts'

export interface ChannelSessionsParts {
  readonly clock: Clock
  readonly log: Log
  readonly sessions: Sessions
  readonly rows: Pick<SessionRows, 'byId' | 'isDormant' | 'lastOf' | 'ofChats'>
  readonly pool: Pick<Pool, 'stop'>
}

type Limits = Pick<ChannelConfig, 'sessionTimeout' | 'maxSessions'>

/** Why conversations of chats were archived, as recorded in their rows. */
const archivings = {
  idle: 'nobody wrote for too long',
  crowded: 'other channels were used later, and there are no more places',
  byChat: 'ended in its channel',
} as const

/** Reasons that are not reported in the chat, because the chat began the new conversation itself. */
const knownThere: ReadonlySet<string> = new Set([archivings.byChat])

const reasons: Readonly<Record<string, string>> = {
  [archivings.idle]: 'nobody wrote here for a while.',
  [archivings.crowded]: 'the last one made room for other chats.',
  'deleted on request': 'the last one was deleted.',
}

const { idle, crowded, byChat } = archivings

/** Decides which conversation a chat has. */
export class ChannelSessions {
  readonly #parts: ChannelSessionsParts
  /**
   * The conversations for which a message is being accepted. None of them may be ended, and each occupies a place,
   * whether or not it is open.
   */
  readonly #held = new Set<string>()

  constructor(parts: ChannelSessionsParts) {
    this.#parts = parts
  }

  /**
   * Prepares the conversation for a channel's next message: keeps it, or ends it if it was idle too long. If this
   * begins a conversation that nobody in the channel asked for, returns a text that says so. Holds the conversation's
   * place until `taken`, because other bots' messages are accepted at the same time.
   */
  async ready(pair: Pair, limits: Limits): Promise<string | undefined> {
    const { sessions, rows, log } = this.#parts
    const live = sessions.openLive(pair)
    const mayGoOn = live === undefined || !this.#isIdle(live, limits) || !(await this.#end(live, idle))
    if (live && mayGoOn) {
      this.#held.add(pairText(pair))
      log.info(`Reusing session for ${pair.from}: ${live.sessionId} (${figures(live.row)})`)
      return undefined
    }
    const last = rows.lastOf(pair)
    this.#held.add(pairText(pair))
    await this.#makeRoom(limits)
    // A dormant conversation continues, so the chat gets no note.
    return rows.isDormant(pair) ? undefined : newsAfter(last?.archivedWhy)
  }

  /** Whether the next message begins a conversation. */
  begins(pair: Pair, limits: Limits): boolean {
    const live = this.#parts.sessions.openLive(pair)
    return live === undefined || this.#isIdle(live, limits)
  }

  /** Releases the place: the message has a turn, or was refused. */
  taken(pair: Pair): void {
    this.#held.delete(pairText(pair))
  }

  /** Ends the conversations that were idle too long, but never one with a turn. */
  async cleanUp(limitsOf: (row: SessionRow) => Limits | undefined): Promise<void> {
    for (const row of this.#parts.rows.ofChats()) {
      const limits = limitsOf(row)
      const session = limits && this.#parts.sessions.openLive(row)
      if (session && this.#isIdle(session, limits)) await this.#end(session, idle)
    }
  }

  /** Ends a channel's conversation; false if it has a turn. */
  async endNow(pair: Pair): Promise<boolean> {
    const session = this.#parts.sessions.openLive(pair)
    return session === undefined || this.#end(session, byChat)
  }

  /** Archives a conversation without a turn, to make room; false if it has one. */
  async endIdle(pair: Pair): Promise<boolean> {
    const session = this.#parts.sessions.openLive(pair)
    return session !== undefined && this.#end(session, crowded)
  }

  find(pair: Pair): Session | undefined {
    return this.#parts.sessions.openLive(pair)
  }

  /** Cancels the running turn; false if there is none. */
  async stop(pair: Pair, turns: Pick<Turns, 'handle'>): Promise<boolean> {
    const running = this.find(pair)?.running
    if (running === undefined) return false
    await turns.handle(running.id).cancel()
    return true
  }

  async #makeRoom({ maxSessions }: Limits): Promise<void> {
    const { rows, sessions } = this.#parts
    for (const row of rows.ofChats()) {
      // Counted again, because another message may have made room in the meantime.
      if (this.#places() <= maxSessions) return
      const session = sessions.openLive(row)
      if (session) await this.#end(session, crowded)
    }
  }

  #places(): number {
    return this.#held.size + this.#parts.rows.ofChats().filter((row) => !this.#held.has(pairText(row))).length
  }

  #isIdle(session: Session, { sessionTimeout }: Limits): boolean {
    const { clock, rows } = this.#parts
    if (session.queue.length > 0) return false
    const used = Math.max(session.row.lastUsedAt, rows.byId(session.row.id)?.lastUsedAt ?? 0)
    return clock.now() - used > sessionTimeout
  }

  /**
   * Ends a conversation. If a message arrives while the process is ending, the conversation stays. Returns whether the
   * conversation was ended.
   */
  async #end(session: Session, why: string): Promise<boolean> {
    if (this.#isUsed(session)) return false
    await this.#parts.pool.stop(session, why)
    if (this.#isUsed(session) || session.row.status === 'archived') return false
    this.#parts.sessions.end(session, why)
    return true
  }

  #isUsed({ queue, row }: Session): boolean {
    return queue.length > 0 || this.#held.has(pairText(row))
  }
}

/** `msg #5, 45% context`: the number of the next message, and the used share of the context window. */
export function figures({ messageCount, contextTokens, contextWindow }: SessionRow): string {
  const share = contextTokens === null || !contextWindow ? '?' : Math.round((100 * contextTokens) / contextWindow)
  return `msg #${messageCount + 1}, ${share}% context`
}

/**
 * The chat's text about a new conversation, given why the previous conversation was archived. Undefined if the chat
 * gets no text. For reasons other than those in `reasons`, the text gives no reason, because such a reason names paths
 * and programs, which only the owner may see.
 */
function newsAfter(why: string | null | undefined): string | undefined {
  if (why === undefined || why === null || knownThere.has(why)) return undefined
  return newConversationText(reasons[why])
}
