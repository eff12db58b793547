import { IrisError } from '../../base/protocol/error.ts'
import { type Pair, pairText } from '../../base/protocol/party.ts'
import type { Turn } from '../../claude/turn/turn.ts'
import type { Origin, SessionRow } from '../../platform/store/sessions.ts'
import { answererOf } from './agent-thread.ts'

/** Origins that bring Claude Code's transcript with them. */
const inherited = new Set<Origin>(['fork', 'taken_over', 'adopted', 'rebuilt'])

/** What the worker of a session shows of its turns. */
export interface SessionWork {
  /** In the order of the ledger. The first one is being worked on when `running` is it. */
  readonly queue: readonly Turn[]
  readonly running: Turn | undefined
  /** The conversation goes on without its past: the caller of the first turn in the queue is told. */
  resetContext(why: string): void
}

const noWork: SessionWork = { queue: [], running: undefined, resetContext: () => {} }

/** The lasting, directional conversation of a pair and thread. Its turns belong to its worker. */
export class Session implements Pair {
  readonly from: string
  readonly to: string
  readonly thread: string
  #row: SessionRow
  #work = noWork
  #lost: string | null = null
  #starts = 0

  constructor(row: SessionRow) {
    this.from = row.from
    this.to = row.to
    this.thread = row.thread
    this.#row = row
  }

  /** From now on this worker has its turns. */
  workedOnBy(work: SessionWork): void {
    this.#work = work
  }

  get queue(): readonly Turn[] {
    return this.#work.queue
  }

  get running(): Turn | undefined {
    return this.#work.running
  }

  /** Its conversation lost something, which the next caller is told. */
  resetContext(why: string): void {
    this.#work.resetContext(why)
  }

  /** How often its process was started, since Iris was. */
  get starts(): number {
    return this.#starts
  }

  processStarted(): void {
    this.#starts += 1
  }

  get row(): SessionRow {
    return this.#row
  }

  /** Claude Code's id of the conversation; another one after a context reset. */
  get sessionId(): string {
    return this.#row.sessionId
  }

  /** Turns behind the running one. */
  get waiting(): number {
    return this.queue.length - (this.running === undefined ? 0 : 1)
  }

  get ids() {
    const { from, to, thread, sessionId } = this
    return { from, to, thread, sessionId }
  }

  /** Whose conversation a transcript tells. */
  get told() {
    return { ...this.ids, agentName: answererOf(this), createdAt: this.#row.createdAt }
  }

  /** Its context is full at this share of the model's window, or was found to be so and nothing has been done yet. */
  isFull(share: number): boolean {
    const { status, contextTokens, contextWindow } = this.#row
    if (status !== 'active') return status === 'compact_pending'
    return contextTokens !== null && contextWindow !== null && contextTokens >= share * contextWindow
  }

  /** What it takes of the model's window now, tokens. */
  measured({ tokens, window }: { readonly tokens: number; readonly window: number }): void {
    this.#row = { ...this.#row, contextTokens: tokens, contextWindow: window }
  }

  /** It is to be compacted; the store knows. */
  contextFull(): void {
    this.#row = { ...this.#row, status: 'compact_pending' }
  }

  /** It was compacted; the store knows. Null: not measured since. */
  contextShortened({ tokens, window }: { readonly tokens: number | null; readonly window: number | null }): void {
    this.#row = { ...this.#row, status: 'active', contextTokens: tokens, contextWindow: window }
  }

  /** Nothing begins in a conversation that was ended. Throws `session_ended`. */
  mustLive(): void {
    if (this.#row.status !== 'archived') return
    throw new IrisError(
      'session_ended',
      `The conversation ${pairText(this)} (${this.sessionId}) was ended meanwhile.`,
      'Ask again: that opens a new one.',
    )
  }

  /** Something was said in it, if only before it was this session: Claude Code must have a transcript. */
  get hasPast(): boolean {
    return this.#row.messageCount > 0 || inherited.has(this.#row.origin)
  }

  /** What the next caller must know of it; until something has been answered. */
  get news(): string | null {
    const { origin, messageCount, originSession, sessionId } = this.#row
    if (origin === 'taken_over' && messageCount === 0) return takenOver(originSession!, sessionId)
    return this.#lost
  }

  /** A person went on with it from before its last answer, which is no part of it any more. */
  lostItsLastAnswer(): void {
    this.#lost = 'a person went on with it in a terminal from before the last answer, which is no part of it any more'
  }

  /** It has another row from now on. Only `Sessions`, which writes the rows, calls this. */
  moveTo(row: SessionRow): void {
    this.#row = row
  }

  /** Claude answered this delivery, at `at` milliseconds since the epoch. */
  answered(delivery: string, at: number): void {
    const { messageCount } = this.#row
    this.#lost = null
    this.#row = { ...this.#row, messageCount: messageCount + 1, lastAnsweredDelivery: delivery, lastUsedAt: at }
  }
}

/** Why a conversation goes on under another id. */
export function takenOver(from: string, to: string): string {
  return `a person took the conversation over in a terminal and gave it another id there, by /clear or /branch: it goes on as ${to}, with what was said there; until then it was ${from}, which is kept`
}

export function pairKey({ from, to, thread }: Pair): string {
  return `${from}\0${to}\0${thread}`
}
