import { withSummary, wrapMessage } from '../claude/envelope.ts'
import type { ClaudeProcess } from '../claude/process.ts'
import { IrisError } from '../protocol/error.ts'
import type { Session } from '../session/session.ts'
import type { DeliveryReason } from '../store/ledger.ts'
import type { TurnTranscript } from '../transcript/transcript-files.ts'
import type { Turn } from '../turn/turn.ts'
import { acquireFor } from './acquire.ts'
import { type DeliveryEnd, deliver } from './deliver.ts'
import { diedTooOften, judgeDelivery } from './delivery-verdict.ts'
import { limitsOf } from './limits.ts'
import { OpenAgentsOfDelivery } from './open-agents.ts'
import type { LaneBoard, OrchestratorParts } from './parts.ts'
import { type Plan, Recovery } from './recovery.ts'
import { Upkeep } from './upkeep.ts'
import { cancelled, ended, reasonOfFault, type Verdict } from './verdict.ts'

/** A turn whose process keeps dying is given up after so many deliveries. */
const maxDeliveries = 4

/** Takes the turns of one session, one after the other, to their outcome. */
export class Lane {
  readonly #session: Session
  readonly #parts: OrchestratorParts
  readonly #recovery: Recovery
  readonly #upkeep: Upkeep
  readonly #board: LaneBoard
  #working = false
  /** What people can read of the running turn, from its first delivery on. */
  #transcript: TurnTranscript | undefined

  constructor(session: Session, parts: OrchestratorParts, board: LaneBoard) {
    this.#session = session
    this.#parts = parts
    this.#board = board
    this.#recovery = new Recovery(session, parts, board.find)
    this.#upkeep = new Upkeep(session, parts, board.isLeaving)
  }

  /**
   * Works until the queue is empty, from when `after` has settled. `warm` is a process already reserved for the first turn,
   * which is dispatched.
   */
  async work(warm?: ClaudeProcess, after?: Promise<unknown>): Promise<void> {
    if (this.#working) return
    this.#working = true
    await after
    const { queue } = this.#session
    for (let turn = queue[0], process = warm; turn !== undefined; turn = queue[0], process = undefined) {
      const refused = this.#upkeep.isDue ? await this.#makeRoom(turn) : undefined
      // Withdrawn, or moved to another session, while it waited for that.
      if (queue[0] !== turn) continue
      this.#session.running = turn
      if (turn.dispatchedAt === null) turn.firstAt = turn.now()
      const end = refused ?? (await this.#carry(turn, process).catch((error: unknown) => this.#failed(turn, error)))
      if (this.#board.isLeaving() && end.outcome !== 'completed') return
      // Off the queue in the same tick as settled, so that nobody sees one without the other.
      queue.shift()
      this.#session.running = undefined
      this.#settle(turn, end)
      const { outcome, reason, detail, usage } = end
      const durationMs = turn.now() - turn.facts.acceptedAt
      this.#transcript?.end({ outcome, reason, detail, usage, durationMs })
      this.#transcript = undefined
      if (queue.length === 0 && this.#upkeep.isDue) await this.#upkeep.whileIdle()
    }
    this.#working = false
  }

  /** Only for a message that Claude has not seen: another one is finished in the conversation where it began. */
  async #makeRoom(turn: Turn): Promise<Verdict | undefined> {
    if (turn.delivery !== undefined) return undefined
    const { queue } = this.#session
    return this.#upkeep
      .beforeTurn(turn.cancelled, () => queue[0] === turn && !this.#board.isLeaving())
      .then(
        () => undefined,
        (error: unknown) => {
          // Without a process there is no answer either; anything else is no reason to withhold one.
          if (error instanceof IrisError) return this.#failed(turn, error)
          if (!turn.cancelled.aborted) this.#parts.log.error(`upkeep failed: ${String(error)}`, { turnId: turn.id })
          return undefined
        },
      )
  }

  async #carry(turn: Turn, warm: ClaudeProcess | undefined): Promise<Verdict> {
    let plan: Plan =
      turn.delivery !== undefined && warm === undefined ? await this.#recovery.plan(turn) : firstDelivery(turn)
    let process = warm
    for (let deliveries = 1; ; deliveries++) {
      if (turn.cancelled.aborted) return cancelled(turn)
      if (plan.kind === 'settle') return plan.verdict
      process ??= await acquireFor(turn, this.#session, this.#parts, deliveries === 1 ? 'wait' : 'refuse')
      if (process === undefined) return cancelled(turn)
      if (turn.delivery !== undefined && !process.resumed && process !== warm) {
        // The conversation may have been lost meanwhile, and with it what the plan goes on from.
        plan = await this.#recovery.plan(turn)
        if (plan.kind === 'settle') {
          this.#parts.pool.release(this.#session)
          return plan.verdict
        }
      }
      const end = await this.#deliver(turn, process, plan)
      process = undefined
      if (end.kind !== 'died') return judgeDelivery(turn, end, this.#session, this.#parts, this.#recovery)
      if (turn.cancelled.aborted || this.#board.isLeaving()) return cancelled(turn)
      if (deliveries === maxDeliveries) return diedTooOften(turn, end, deliveries)
      plan = await this.#recovery.plan(turn)
    }
  }

  async #deliver(turn: Turn, process: ClaudeProcess, plan: Extract<Plan, { kind: 'deliver' }>): Promise<DeliveryEnd> {
    const { clock, pool, config } = this.#parts
    const neverSpoke = this.#session.row.messageCount === 0 && plan.why === 'first'
    try {
      this.#dispatch(turn, plan.why, plan.uuid)
    } catch (error) {
      pool.release(this.#session)
      throw error
    }
    if (plan.why === 'again' && plan.text === undefined) turn.beginAgain()
    turn.contextReset ??= this.#session.news
    this.#transcript ??= this.#parts.transcripts.begin(this.#session.told, {
      prompt: turn.facts.message,
      resumed: this.#session.row.messageCount > 0,
    })
    const openAgents = new OpenAgentsOfDelivery(turn, process, this.#parts.ledger, this.#parts.log)
    const end = await deliver(
      process,
      turn,
      turn.delivery!,
      withSummary(
        this.#upkeep.opening,
        plan.text ?? wrapMessage(this.#session, turn.facts.message, this.#parts.notices.ofTurn(turn.id)),
      ),
      {
        clock,
        limits: limitsOf(config, this.#session.to, neverSpoke),
        onLine: (line) => {
          const began = turn.startedAt === null
          turn.take(line)
          openAgents.take(line, turn.now())
          this.#transcript?.line(line)
          this.#upkeep.saw(line)
          this.#board.saw(turn, line)
          const ids = { turnId: turn.id, ...this.#session.ids }
          if (began && turn.startedAt !== null)
            this.#parts.publish({ type: 'turn-delivered', queuedMs: turn.queuedMs ?? 0, ...ids })
          this.#parts.publish({ type: 'turn-message', message: line, ...ids })
        },
        drained: () => turn.drained(),
        onWritten: () => this.#parts.at('written', turn),
      },
    )
    if (process.context) this.#session.measured(process.context)
    const isAtRest = process.state === 'idle' && process.answeringTasks.length === 0
    // What it started is stopped with it, where the turn ended without that.
    if (isAtRest) pool.release(this.#session)
    // After an answer it may still have to write that down.
    else await pool.stop(this.#session, `its turn ended: ${end.kind}`, end.kind === 'result' ? 'busy' : 'now')
    return end
  }

  #dispatch(turn: Turn, why: DeliveryReason, uuid: string): void {
    if (turn.delivery === uuid && why === 'first') return
    const at = turn.now()
    this.#parts.ledger.dispatch({ id: turn.id, session: this.#session.row.id, firstAt: turn.firstAt }, uuid, why, at)
    turn.delivery = uuid
    turn.dispatchedAt ??= at
  }

  async #failed(turn: Turn, error: unknown): Promise<Verdict> {
    if (error === turn.cancelled.reason) return cancelled(turn)
    const message = error instanceof IrisError ? `${error.message} ${error.remedy}` : String(error)
    const fault = ended('failed', reasonOfFault(error), message, turn.partialText)
    if (turn.delivery === undefined || this.#board.isLeaving()) return fault
    return this.#recovery.cutOff(turn, fault).catch(() => fault)
  }

  /** Takes a turn that waits in the queue out of it. */
  withdraw(turn: Turn): void {
    const { queue } = this.#session
    queue.splice(queue.indexOf(turn), 1)
    const [next] = queue
    // That the conversation is a new one is told by whoever first speaks in it.
    if (next) next.contextReset ??= turn.contextReset
    turn.contextReset = null
    this.#settle(turn, cancelled(turn))
  }

  #settle(turn: Turn, end: Verdict): void {
    const { ends, publish } = this.#parts
    const settledAt = turn.now()
    const answeredDelivery = end.outcome === 'completed' ? (turn.delivery ?? null) : null
    const row = { id: turn.id, session: this.#session.row.id }
    ends.record(row, {
      ...end,
      firstAt: turn.firstAt,
      startedAt: turn.startedAt,
      settledAt,
      contextReset: turn.contextReset,
      answeredDelivery,
      neverBegan: end.outcome !== 'completed' && turn.startedAt === null && !turn.takenUp,
      contextTokens: this.#session.row.contextTokens,
      contextWindow: this.#session.row.contextWindow,
      toolEnds: [...turn.toolEnds.values()],
    })
    if (answeredDelivery !== null) this.#session.answered(answeredDelivery, settledAt)
    this.#parts.at('settled', turn)
    turn.settle({ ...end, sessionId: this.#session.sessionId, settledAt })
    this.#board.settled(turn, end)
    const { outcome, reason, detail, usage } = end
    const figures = { durationMs: settledAt - turn.facts.acceptedAt, queuedMs: turn.queuedMs, usage }
    const { messageCount } = turn
    publish({
      ...{ type: 'turn-settled', turnId: turn.id, outcome, reason, detail, messageCount },
      ...{ ...figures, ...this.#session.ids },
    })
  }
}

function firstDelivery(turn: Turn): Plan {
  return { kind: 'deliver', why: 'first', uuid: turn.delivery ?? turn.id, text: undefined }
}
