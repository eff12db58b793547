import type { AgentProcess } from '../../base/agent/process.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Cancellation } from '../../base/protocol/turn.ts'
import type { DeliveryReason } from '../../platform/store/ledger.ts'
import { isStoreTrouble } from '../../platform/store/store-trouble.ts'
import { ContextMaintenance } from '../deliver/context-maintenance.ts'
import { pastOf, recordEarlierWork } from '../deliver/earlier-work.ts'
import { takeValue } from '../deliver/missing-value.ts'
import { TurnRunner } from '../deliver/turn-runner.ts'
import type { OrchestratorParts, WorkerBoard } from '../recover/parts.ts'
import type { Session, SessionWork } from '../session/session.ts'
import type { Ask } from '../turn/ask.ts'
import type { JudgedValue } from '../turn/message-contracts.ts'
import type { MessageLog } from '../turn/message-log.ts'
import { OwnedTurn } from '../turn/owned-turn.ts'
import type { Past, Turn, TurnFacts } from '../turn/turn.ts'
import { stopped, type Verdict } from '../turn/verdict.ts'
import { placeOf } from './queue-place.ts'
import { runTurn } from './remote-runner.ts'

type AcceptedAsk = Pick<Ask, 'idempotencyKey' | 'alongside' | 'attachments' | 'earlierWork'>

/** The inputs of an `OwnedTurn`. */
export interface TurnMaterial {
  readonly facts: TurnFacts
  readonly log: MessageLog
  readonly now: () => number
}

/**
 * The only owner of a session's turns and their queue. It accepts turns, works on one at a time, and settles each
 * exactly once. It writes to the ledger before it changes its memory. A turn leaves the queue before it settles.
 */
export class SessionWorker implements SessionWork {
  readonly #session: Session
  readonly #parts: OrchestratorParts
  readonly #board: WorkerBoard
  readonly #maintenance: ContextMaintenance
  readonly #runner: TurnRunner
  readonly #queue: OwnedTurn[] = []
  #running: OwnedTurn | undefined
  /** The process reserved for the queue's first turn, whose delivery is already committed. */
  #warm: AgentProcess | undefined
  #working = false

  constructor(session: Session, parts: OrchestratorParts, board: WorkerBoard) {
    this.#session = session
    this.#parts = parts
    this.#board = board
    this.#maintenance = new ContextMaintenance(session, parts, board.isLeaving)
    this.#runner = new TurnRunner(session, parts, board, this.#maintenance, (...delivery) =>
      this.#dispatch(...delivery),
    )
    session.workedOnBy(this)
  }

  get queue(): readonly Turn[] {
    return this.#queue
  }

  get running(): Turn | undefined {
    return this.#running
  }

  resetContext(why: string): void {
    const [next] = this.#queue
    if (next === undefined) this.#session.keepNews(why)
    else next.resetContext(why)
  }

  /**
   * Puts the turn into the ledger and the queue. If a warm process is available, the delivery to it is part of the same
   * commit. `mayWait` runs when the turn is in the queue. If `mayWait` or the commit throws, nothing is kept.
   */
  accept({ facts, log, now }: TurnMaterial, ask: AcceptedAsk, mayWait: () => void): void {
    const turn = new OwnedTurn(facts, log, now, ask.earlierWork && pastOf(ask.earlierWork, now()))
    this.#queue.splice(placeOf(turn, this.#queue), 0, turn)
    try {
      mayWait()
      this.#commit(turn, ask)
    } catch (error) {
      this.#remove(turn)
      throw error
    }
    this.#announce(turn)
    void this.work()
  }

  /** Queues a turn that an earlier daemon accepted and did not settle. The turn waits until `work` is called. */
  takeUp({ facts, log, now }: TurnMaterial, past: Past): Turn {
    const turn = new OwnedTurn(facts, log, now, past)
    this.#queue.splice(placeOf(turn, this.#queue), 0, turn)
    return turn
  }

  /** Records that a turn waits for another turn, or that it no longer does. */
  awaits(waitingId: string, awaitedId: string, isWaiting: boolean): void {
    const waiting = this.#queue.find(({ id }) => id === waitingId)
    if (isWaiting) waiting?.waitFor(awaitedId)
    else waiting?.waitNoMoreFor(awaitedId)
  }

  /** Commits a value for the running turn before its agent learns that it was accepted. Returns the value's state. */
  giveValue(turnId: string, judged: JudgedValue): 'taken' | 'refused' | 'too_late' {
    const turn = this.#running
    if (turn?.id !== turnId || turn.cancelled.aborted) return 'too_late'
    return takeValue(turn, judged, this.#parts.ledger)
  }

  /**
   * Replaces the message of a turn that has not reached Claude Code, in one commit with what `alongside` stores.
   * Returns false if the message can no longer be replaced.
   */
  revise(turnId: string, message: string, alongside: () => void): boolean {
    const turn = this.#queue.find(({ id }) => id === turnId)
    if (turn === undefined || turn.delivery !== undefined || turn.cancelled.aborted) return false
    const { ledger } = this.#parts
    ledger.atomically(() => {
      ledger.revise(turnId, message)
      alongside()
    })
    turn.revise(message)
    return true
  }

  /** Cancels a turn of this queue. A waiting turn never starts. A running turn is interrupted, and then settles. */
  cancel(turnId: string, why: Cancellation): void {
    const turn = this.#queue.find(({ id }) => id === turnId)
    if (turn === undefined) return
    turn.cancel(why)
    if (this.#running !== turn) this.#withdraw(turn)
  }

  /** Moves the waiting turns to another session, keeping their order. */
  handOver(next: SessionWorker): void {
    next.#queue.push(...this.#queue.splice(this.#running ? 1 : 0))
  }

  /** Begins when `after` has settled, and works on turns until the queue is empty. */
  async work(after?: Promise<unknown>): Promise<void> {
    if (this.#working) return
    this.#working = true
    await after
    for (let [turn] = this.#queue; turn !== undefined && this.#board.mayBegin(); [turn] = this.#queue) {
      const refused = this.#maintenance.isDue ? await this.#makeRoom(turn) : undefined
      // In the meantime, the turn may have been withdrawn, moved to another session, or left to the next start.
      if (!this.#isNext(turn)) continue
      this.#running = turn
      turn.cameFirst()
      const end = refused ?? (await this.#run(turn))
      if (this.#board.isLeaving() && end.outcome !== 'completed') return
      this.#queue.shift()
      this.#running = undefined
      const waiting = this.#settle(turn, end)
      if (waiting) await waiting
      this.#runner.closeTranscript(turn, end)
      if (this.#queue.length === 0 && this.#maintenance.isDue) await this.#maintenance.whileIdle()
    }
    this.#working = false
  }

  #run(turn: OwnedTurn): Promise<Verdict> {
    const dispatch = (): void => this.#dispatch(turn, 'first', turn.id, turn.now())
    const here = (): Promise<Verdict> => this.#runner.run(turn, this.#takeWarm())
    return runTurn(turn, this.#session, this.#parts, this.#board, { dispatch, here })
  }

  #isNext(turn: Turn): boolean {
    return this.#queue[0] === turn && this.#board.mayBegin()
  }

  #takeWarm(): AgentProcess | undefined {
    const warm = this.#warm
    this.#warm = undefined
    return warm
  }

  #remove(turn: OwnedTurn): void {
    this.#queue.splice(this.#queue.indexOf(turn), 1)
  }

  #commit(turn: OwnedTurn, ask: AcceptedAsk): void {
    const { config, ledger, pool } = this.#parts
    const [idempotencyKey, session, facts] = [ask.idempotencyKey ?? null, this.#session, turn.facts]
    // A full conversation is compacted before its next message is delivered.
    const isHeld =
      session.isFull(config().settings.compactAt) || this.#parts.seams.accounts.of(session.to) !== undefined
    const warm = this.#isNext(turn) && !isHeld && !turn.takenUp ? pool.takeWarm(session) : undefined
    try {
      ledger.written(() => {
        ledger.accept({ ...facts, session: session.row.id, idempotencyKey })
        ask.alongside?.(turn.id)
        this.#parts.seams.files.keep(facts.attachments, ask.attachments)
        if (facts.retryOf !== undefined) ledger.retries.add(turn.id, facts.retryOf)
        if (ask.earlierWork) recordEarlierWork(ask.earlierWork, { ...facts, session: session.row.id }, ledger)
        if (warm) this.#dispatch(turn, 'first', turn.id, facts.acceptedAt)
      })
    } catch (error) {
      if (warm) pool.release(session)
      throw error
    }
    this.#warm = warm ?? this.#warm
  }

  /** The turn is already in the ledger, so an error here is only logged. */
  #announce(turn: Turn): void {
    const { at, log, publish } = this.#parts
    try {
      this.#board.accepted(turn, this.#session)
      publish({
        type: 'turn-accepted',
        turnId: turn.id,
        parentTurnId: turn.facts.parentTurn,
        ahead: this.#queue.length - 1,
        ...this.#session.ids,
      })
      at('accepted', turn)
    } catch (error) {
      log.error(`an accepted message could not be announced: ${String(error)}`, { turnId: turn.id })
    }
  }

  /** Commits a delivery. The ledger has the delivery's uuid before Claude Code receives anything under it. */
  #dispatch(turn: OwnedTurn, why: DeliveryReason, uuid: string, at: number): void {
    const { id, firstAt } = turn
    this.#parts.ledger.dispatch({ id, session: this.#session.row.id, firstAt }, uuid, why, at)
    turn.dispatched(uuid, at)
  }

  /**
   * Does context maintenance before a message, unless the message was already delivered. A delivered message must
   * finish in the conversation in which it began.
   */
  async #makeRoom(turn: OwnedTurn): Promise<Verdict | undefined> {
    if (turn.delivery !== undefined) return undefined
    try {
      await this.#maintenance.beforeTurn(turn.cancelled, () => this.#isNext(turn))
      return undefined
    } catch (error) {
      // The runner handles store errors. An IrisError means that there is no process. Any other error must not prevent
      // an answer.
      if (isStoreTrouble(error)) return undefined
      if (error instanceof IrisError) return this.#runner.failed(turn, error)
      if (!turn.cancelled.aborted) this.#parts.log.error(`maintenance failed: ${String(error)}`, { turnId: turn.id })
      return undefined
    }
  }

  #withdraw(turn: OwnedTurn): void {
    this.#remove(turn)
    void this.#settle(turn, stopped(turn))
  }

  /**
   * If the turn's message never reached the conversation, the next turn gets the news that the conversation is new, and
   * its answer reports it.
   */
  #passOnNews(turn: OwnedTurn): void {
    if (turn.delivery !== undefined || turn.contextReset === null) return
    const [next] = this.#queue
    if (next === undefined || next.contextReset === null) this.resetContext(turn.contextReset)
    turn.resetContext(null)
  }

  /**
   * Settles the turn. An answer is also in the transcript, where the next start would find it, so the caller gets it at
   * once. Any other end is announced only once the ledger has it: until then, a restart would run the message again.
   * Returns undefined if the end has already been announced.
   */
  #settle(turn: OwnedTurn, end: Verdict): Promise<void> | undefined {
    const settledAt = turn.now()
    this.#passOnNews(turn)
    const recorded = this.#record(turn, end, settledAt)
    const tell = (): void => this.#tell(turn, end, settledAt)
    if (recorded !== undefined && end.outcome !== 'completed') return recorded.then(tell)
    tell()
    return undefined
  }

  #record(turn: OwnedTurn, end: Verdict, settledAt: number): Promise<void> | undefined {
    const session = this.#session
    const answeredDelivery = end.outcome === 'completed' ? (turn.delivery ?? null) : null
    const { firstAt, startedAt, contextReset } = turn
    const { contextTokens, contextWindow } = session.row
    const recorded = this.#parts.ends.record(
      { id: turn.id, session: session.row.id },
      {
        ...end,
        firstAt,
        startedAt,
        settledAt,
        contextReset,
        answeredDelivery,
        contextTokens,
        contextWindow,
        neverBegan: end.outcome !== 'completed' && startedAt === null && !turn.takenUp,
        toolEnds: [...turn.toolEnds.values()],
      },
    )
    if (answeredDelivery !== null) session.answered(answeredDelivery, settledAt)
    return recorded
  }

  #tell(turn: OwnedTurn, end: Verdict, settledAt: number): void {
    const { publish, at } = this.#parts
    const session = this.#session
    at('settled', turn)
    const value = end.outcome === 'completed' ? (turn.value ?? null) : null
    turn.settle({ ...end, value, sessionId: session.sessionId, settledAt })
    this.#board.settled(turn, end, () => turn.discard())
    const { outcome, reason, detail, usage } = end
    const { messageCount, queuedMs } = turn
    publish({
      type: 'turn-settled',
      turnId: turn.id,
      outcome,
      reason,
      detail,
      messageCount,
      durationMs: settledAt - turn.facts.acceptedAt,
      queuedMs,
      usage,
      ...session.ids,
    })
  }
}
