import { IrisError } from '../../base/protocol/error.ts'
import { type Pair, pairText } from '../../base/protocol/pair.ts'
import type { Origin, SessionRow } from '../../platform/store/sessions.ts'
import type { Turn } from '../turn/turn.ts'
import { answererOf } from './agent-thread.ts'

/** Origins of sessions that begin with an existing transcript. */
const inherited = new Set<Origin>(['fork', 'taken_over', 'adopted', 'rebuilt'])

/** How many tools of unsolicited turns to remember. Claude Code asks about each tool shortly after its start. */
const maxUnsolicitedTools = 1000

/** The turns of a session, as its worker exposes them. */
export interface SessionWork {
  /** In the order of the ledger. If `running` is set, that turn is the first. */
  readonly queue: readonly Turn[]
  readonly running: Turn | undefined
  /**
   * Call this when the conversation continues without its past. The first turn in the queue reports this to its caller.
   */
  resetContext(why: string): void
  /**
   * Replaces the message of a turn that has not reached Claude Code, in one commit with what `alongside` stores.
   * Returns false if the message can no longer be replaced.
   */
  revise(turnId: string, message: string, alongside: () => void): boolean
}

const noWork: SessionWork = { queue: [], running: undefined, resetContext: () => {}, revise: () => false }

/** The lasting, directional conversation of a pair and thread. Its turns belong to its worker. */
export class Session implements Pair {
  readonly from: string
  readonly to: string
  readonly thread: string
  #row: SessionRow
  #work = noWork
  #news: string | null = null
  #starts = 0
  readonly #unsolicitedTools = new Set<string>()

  constructor(row: SessionRow) {
    this.from = row.from
    this.to = row.to
    this.thread = row.thread
    this.#row = row
  }

  /** Sets the worker that owns its turns. */
  workedOnBy(work: SessionWork): void {
    this.#work = work
  }

  get queue(): readonly Turn[] {
    return this.#work.queue
  }

  get running(): Turn | undefined {
    return this.#work.running
  }

  /** Call this when the conversation has lost something. The next caller is informed. */
  resetContext(why: string): void {
    this.#work.resetContext(why)
  }

  /** Like `SessionWork.revise`. */
  revise(turnId: string, message: string, alongside: () => void): boolean {
    return this.#work.revise(turnId, message, alongside)
  }

  /** How often the session's process was started since Iris started. */
  get starts(): number {
    return this.#starts
  }

  processStarted(): void {
    this.#starts += 1
  }

  get row(): SessionRow {
    return this.#row
  }

  /** Claude Code's id of the conversation; it changes after a context reset. */
  get sessionId(): string {
    return this.#row.sessionId
  }

  /** Notes that Claude Code uses this tool in an unsolicited turn. */
  tookUnsolicitedTool(toolUseId: string): void {
    if (this.#unsolicitedTools.size === maxUnsolicitedTools) this.#unsolicitedTools.clear()
    this.#unsolicitedTools.add(toolUseId)
  }

  /** The turn for which this tool is used. Undefined for a tool of an unsolicited turn. */
  turnOf(toolUseId: string): Turn | undefined {
    return this.#unsolicitedTools.has(toolUseId) ? undefined : this.running
  }

  /** How many turns wait behind the running one. */
  get waiting(): number {
    return this.queue.length - (this.running === undefined ? 0 : 1)
  }

  get ids() {
    const { from, to, thread, sessionId } = this
    return { from, to, thread, sessionId }
  }

  /** The facts about the conversation at the beginning of the transcript for people. */
  get transcriptHead() {
    return { ...this.ids, agentName: answererOf(this), createdAt: this.#row.createdAt }
  }

  /**
   * Whether the conversation takes at least this share of the model's window (0 to 1), or its compaction is pending.
   */
  isFull(share: number): boolean {
    const { status, contextTokens, contextWindow } = this.#row
    if (status !== 'active') return status === 'compact_pending'
    return contextTokens !== null && contextWindow !== null && contextTokens >= share * contextWindow
  }

  /** Sets how much of the model's window the conversation now takes, in tokens. */
  measured({ tokens, window }: { readonly tokens: number; readonly window: number }): void {
    this.#row = { ...this.#row, contextTokens: tokens, contextWindow: window }
  }

  /** Notes that the conversation's compaction is pending. The caller updates the store. */
  contextFull(): void {
    this.#row = { ...this.#row, status: 'compact_pending' }
  }

  /**
   * Notes that the conversation was compacted. The caller updates the store. A figure is null if the conversation has
   * not been measured since.
   */
  contextShortened({ tokens, window }: { readonly tokens: number | null; readonly window: number | null }): void {
    this.#row = { ...this.#row, status: 'active', contextTokens: tokens, contextWindow: window }
  }

  /** Throws `session_ended` if the session is archived, because nothing may begin in it then. */
  mustLive(): void {
    if (this.#row.status !== 'archived') return
    throw new IrisError(
      'session_ended',
      `The conversation ${pairText(this)} (${this.sessionId}) has been ended.`,
      'Ask again to open a new one.',
    )
  }

  /** Whether Claude Code must have a transcript: the session has messages, or began with a transcript. */
  get hasPast(): boolean {
    return this.#row.messageCount > 0 || inherited.has(this.#row.origin)
  }

  /**
   * What the next caller must know about the conversation. Null if there is nothing to report, or if an answer has been
   * given since.
   */
  get news(): string | null {
    const { origin, messageCount, originSession, sessionId } = this.#row
    if (origin === 'taken_over' && messageCount === 0) return takenOver(originSession!, sessionId)
    return this.#news
  }

  /** Keeps news for the next caller, because no caller is waiting now. The news is lost when this daemon ends. */
  keepNews(why: string): void {
    this.#news = why
  }

  /**
   * Call this when the last answer is no longer part of the conversation, because a person has continued from a point
   * before it.
   */
  lostItsLastAnswer(): void {
    this.#news = 'a person continued it in a terminal from before the last answer, which is no longer part of it'
  }

  /** Replaces the session's row. Only `Sessions`, which writes the rows, calls this. */
  moveTo(row: SessionRow): void {
    this.#row = row
  }

  /** Notes that Claude answered this delivery, at `at` milliseconds since the epoch. */
  answered(delivery: string, at: number): void {
    const { messageCount } = this.#row
    this.#news = null
    this.#row = { ...this.#row, messageCount: messageCount + 1, lastAnsweredDelivery: delivery, lastUsedAt: at }
  }
}

/** Why a conversation continues under another id. */
export function takenOver(from: string, to: string): string {
  return `a person took over the conversation in a terminal and gave it a new id by /clear or /branch: it continues as ${to}, with what was said there; the conversation up to then, ${from}, is kept`
}

export function pairKey({ from, to, thread }: Pair): string {
  return `${from}\0${to}\0${thread}`
}
