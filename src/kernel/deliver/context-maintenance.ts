import { isSystem, type Line } from '../../base/agent/line.ts'
import type { AgentProcess, ContextShare } from '../../base/agent/process.ts'
import { pairText } from '../../base/protocol/pair.ts'
import { roleOfThread } from '../../base/protocol/role.ts'
import { compactionSummary, toCompacted } from '../../claude/driver/compaction.ts'
import type { OrchestratorParts } from '../recover/parts.ts'
import type { Session } from '../session/session.ts'
import { compact } from './compaction.ts'
import { probeTimeoutMs } from './silence.ts'
import { whatWasSaid } from './summary.ts'

/**
 * After one failure, Iris tries again at the next message, when the API may be working again. After two, it rotates the
 * conversation instead.
 */
const triesToCompact = 2

/** Keeps a session's conversation within the model's context window, between its turns. */
export class ContextMaintenance {
  readonly #session: Session
  readonly #parts: OrchestratorParts
  readonly #isLeaving: () => boolean
  /**
   * The summary of the last compaction that the CLI started on its own, in the running turn or in the one before it.
   */
  #summary: string | undefined
  #summaryFollows = false

  constructor(session: Session, parts: OrchestratorParts, isLeaving: () => boolean) {
    this.#session = session
    this.#parts = parts
    this.#isLeaving = isLeaving
  }

  get isDue(): boolean {
    return this.#session.isFull(this.#parts.config().settings.compactAt)
  }

  /** A role's process accepts no `/compact`, and a summary would keep text from strangers permanently. */
  get #onContextFull() {
    if (roleOfThread(this.#session.thread) !== undefined) return 'reset'
    return this.#parts.config().settings.onContextFull
  }

  /** Runs while the queue is empty. A message that arrives in the meantime waits until this is done. */
  async whileIdle(): Promise<void> {
    try {
      this.#note()
      const wanted = this.#onContextFull !== 'reset' && !this.#mustRotate()
      const process = wanted ? this.#parts.pool.takeWarm(this.#session) : undefined
      if (process !== undefined) await this.#shorten(process)
    } catch (error) {
      this.#parts.log.error(`maintenance failed: ${String(error)}`, { pair: pairText(this.#session) })
    }
  }

  /**
   * Runs before a message is delivered. Rejects if the session cannot get a process. `stillFirst`: whether the message
   * is still first in this session's queue.
   */
  async beforeTurn(signal: AbortSignal, stillFirst: () => boolean): Promise<void> {
    const { pool, config, seams } = this.#parts
    this.#note()
    const onContextFull = this.#onContextFull
    const { queueTimeout } = config().settings
    await seams.holders.whenLeft(this.#session, queueTimeout, signal)
    if (onContextFull !== 'reset' && !this.#mustRotate()) {
      await this.#shorten(await pool.acquire(this.#session, signal))
    }
    if (!this.isDue || !stillFirst()) return
    if (onContextFull === 'reset') await this.#replace('reset', fullText(this.#session), stillFirst)
    else if (this.#mustRotate()) await this.#replace('rotation', fullText(this.#session), stillFirst)
  }

  /**
   * Compacts a conversation that the model's API has refused as too long, however full it seems. Returns whether the
   * conversation can continue; if it cannot, the caller must replace it. Rejects if the session cannot get a process.
   */
  async compactRefused(signal: AbortSignal): Promise<boolean> {
    this.#note()
    if (this.#onContextFull === 'reset' || this.#mustRotate()) return false
    await this.#shorten(await this.#parts.pool.acquire(this.#session, signal), 'refused')
    return this.#session.row.status === 'active'
  }

  /**
   * Replaces a conversation that the model's API has refused as too long. If nothing was answered in it, the asker is
   * not informed. Returns whether the conversation was replaced, which is not possible while it has background work.
   */
  async leaveRefused(): Promise<boolean> {
    const { pool, sessions } = this.#parts
    const session = this.#session
    const { sessionId } = session
    const cause = "the model's API found it too long"
    if (session.hasPast) {
      await this.#replace(this.#onContextFull === 'reset' ? 'reset' : 'rotation', cause, () => true)
    } else if (pool.process(session)?.isAlone !== false) {
      await pool.stop(session, cause)
      sessions.lose(session, cause, 'new')
    }
    return session.sessionId !== sessionId
  }

  /**
   * The summary that opens a rotated conversation. It does not change before the first answer. Undefined for other
   * conversations.
   */
  get opening(): string | undefined {
    const { origin, originSession, messageCount } = this.#session.row
    if (origin !== 'rotation' || originSession === null || messageCount > 0) return undefined
    return this.#parts.compactions.summaryOf(originSession) ?? undefined
  }

  /** Records a compaction that the CLI started on its own. */
  saw(line: Line): void {
    noteCompaction(this.#session, line, this.#parts)
    if (isSystem(line, 'init')) this.#summary = undefined
    const summary = this.#summaryFollows ? compactionSummary(line) : undefined
    if (summary !== undefined) this.#summary = summary
    this.#summaryFollows = toCompacted(line) !== undefined || (this.#summaryFollows && summary === undefined)
  }

  /** Commits, before any maintenance, that the context is full, so that maintenance stays due after a crash. */
  #note(): void {
    const { row } = this.#session
    if (row.status === 'compact_pending') return
    this.#parts.compactions.full(row.id)
    this.#session.contextFull()
    this.#tell()
  }

  #tell(): void {
    const { row, ids } = this.#session
    const { status, contextTokens, contextWindow } = row
    const isFull = status === 'compact_pending'
    this.#parts.publish({ type: 'session-context', isFull, contextTokens, contextWindow, ...ids })
  }

  /** Whether to rotate the conversation, because a summary already exists or compaction has failed too often. */
  #mustRotate(): boolean {
    const { sessionId, id } = this.#session.row
    return this.#parts.compactions.summaryOf(sessionId) !== null || this.#failures(id) >= triesToCompact
  }

  #failures(id: number): number {
    return this.#parts.compactions.failuresInARow(id)
  }

  /**
   * Compacts in a reserved process, then releases or ends that process. A failure does not end the conversation.
   * `refused`: the API found the conversation too long, so its measured size does not matter.
   */
  async #shorten(process: AgentProcess, why: 'full' | 'refused' = 'full'): Promise<void> {
    const { pool } = this.#parts
    try {
      // While the process was starting, the conversation may have been found missing and replaced.
      if (!this.isDue) return
      const share = why === 'full' ? await process.inquiries.contextUsage(probeTimeoutMs) : undefined
      if (share !== undefined && !this.#isOver(share)) this.#shortened(share)
      else if (process.isAlone) await this.#compact(process)
    } finally {
      if (process.state === 'idle') pool.release(this.#session)
      // If Iris is stopping, the last answer may not be on disk yet, so the process is stopped like a busy one.
      else await pool.stop(this.#session, 'its compaction ended', 'busy')
    }
  }

  async #compact(process: AgentProcess): Promise<void> {
    const { clock, config, newId, transcripts } = this.#parts
    const onContextFull = this.#onContextFull
    const { responseTimeout, maxSilence } = config().settings
    const session = this.#session
    const began = clock.elapsed()
    const transcript = transcripts.begin(session.transcriptHead, { prompt: '/compact', resumed: true })
    const end = await compact(process, {
      clock,
      limits: { responseTimeoutMs: responseTimeout, maxSilenceMs: maxSilence, firstSignMs: undefined },
      uuid: newId(),
      onLine: (line) => {
        transcript.line(line)
        this.saw(line)
      },
    })
    const outcome = ({ compacted: 'completed', failed: 'failed', cut_off: 'cancelled' } as const)[end.kind]
    const detail = end.kind === 'failed' ? end.why : null
    transcript.end({ outcome, reason: null, detail, usage: null, durationMs: clock.elapsed() - began })
    if (end.costUsd) this.#parts.compactions.cost(session.row.id, end.costUsd)
    if (end.kind === 'cut_off' || this.#isLeaving()) return
    if (end.kind === 'failed') return this.#failed(end.why)
    const share = await process.inquiries.contextUsage(probeTimeoutMs)
    const helped = share === undefined || !this.#isOver(share)
    if (onContextFull === 'rotate' || !helped) this.#keep(end.summary || undefined)
    else this.#shortened(share)
  }

  #isOver({ tokens, window }: ContextShare): boolean {
    return tokens >= this.#parts.config().settings.compactAt * window
  }

  #shortened(share: ContextShare | undefined): void {
    const { row } = this.#session
    // The session was ended in the meantime.
    if (row.status !== 'compact_pending') return
    const [tokens, window] = share ? [share.tokens, share.window] : [null, row.contextWindow]
    this.#parts.compactions.shortened(row.id, tokens, window)
    this.#session.contextShortened({ tokens, window })
    this.#tell()
  }

  #failed(failure: string): void {
    const { clock, compactions, publish } = this.#parts
    const { row, ids } = this.#session
    compactions.add({
      session: row.id,
      at: clock.now(),
      beforeTokens: row.contextTokens,
      afterTokens: null,
      failure,
    })
    publish({ type: 'session-compaction-failed', error: failure, ...ids })
  }

  /** Stores a summary for the conversation that will replace this one. */
  #keep(summary: string | undefined): void {
    const { compactions, ledger } = this.#parts
    const { id } = this.#session.row
    compactions.summarised(id, whatWasSaid(summary, ledger.exchangesOf(id, summary === undefined ? 20 : 3)))
  }

  /** Archives the conversation. The waiting message opens a new conversation, and the message's answer says so. */
  async #replace(origin: 'reset' | 'rotation', cause: string, stillFirst: () => boolean): Promise<void> {
    const { pool, sessions, compactions, transcripts } = this.#parts
    const session = this.#session
    // Stopping the process would cut off its background work, so the message goes to the full conversation.
    if (pool.process(session)?.isAlone === false) return
    const why = `${cause}, and ${endings[origin]}`
    await pool.stop(session, why)
    if (!stillFirst()) return
    if (origin === 'rotation' && compactions.summaryOf(session.sessionId) === null) {
      this.#keep(this.#summary)
    }
    transcripts.archived(session.transcriptHead, why)
    sessions.replace(session, why, origin)
  }
}

const endings = {
  reset: 'a new conversation began without it',
  rotation: 'a new conversation began with a summary of it',
}

function fullText({ row: { contextTokens, contextWindow } }: Session): string {
  return `its context was full (${contextTokens ?? 'unknown'} of ${contextWindow ?? 'unknown'} tokens)`
}

/** Records and publishes a compaction if the line reports one. */
export function noteCompaction(
  session: Session,
  line: Line,
  { compactions, clock, publish, log }: Pick<OrchestratorParts, 'compactions' | 'clock' | 'publish' | 'log'>,
): void {
  const tokens = toCompacted(line)
  if (tokens === undefined) return
  try {
    compactions.add({ session: session.row.id, at: clock.now(), ...tokens, failure: null })
  } catch (error) {
    log.error(`the store did not take a compaction: ${String(error)}`, { pair: pairText(session) })
  }
  publish({ type: 'session-compacted', ...tokens, ...session.ids })
}
