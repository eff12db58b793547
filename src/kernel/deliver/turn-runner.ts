import { isSystem, type Line } from '../../base/agent/line.ts'
import type { AgentProcess } from '../../base/agent/process.ts'
import type { Prompt } from '../../base/agent/run.ts'
import { pause } from '../../base/lib/clock.ts'
import { addUsage } from '../../base/protocol/add-usage.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { pairText } from '../../base/protocol/pair.ts'
import type { Usage } from '../../base/protocol/turn.ts'
import { isKeptOut } from '../../claude/driver/endings.ts'
import type { TurnTranscript } from '../../claude/transcript/transcript-files.ts'
import type { DeliveryReason } from '../../platform/store/ledger.ts'
import { isStoreTrouble } from '../../platform/store/store-trouble.ts'
import { OpenAgentsOfDelivery } from '../recover/open-agents.ts'
import type { OrchestratorParts, WorkerBoard } from '../recover/parts.ts'
import { type Plan, Recovery } from '../recover/recovery.ts'
import type { Session } from '../session/session.ts'
import type { OwnedTurn } from '../turn/owned-turn.ts'
import { ended, reasonOfFault, stopped, type Verdict } from '../turn/verdict.ts'
import { acquireFor } from './acquire.ts'
import { continuedAfterLimit } from './after-limit.ts'
import type { ContextMaintenance } from './context-maintenance.ts'
import { type DeliveryEnd, deliver, type GivenBefore } from './deliver.ts'
import { diedTooOften, hadBefore, type Judged, judgeDelivery, stopManner } from './delivery-verdict.ts'
import { madeKnown } from './earlier-work.ts'
import { reminder } from './missing-value.ts'
import { withoutAnswer } from './no-answer.ts'
import { blockedRequest, requestOf } from './own-requests.ts'
import { Paused } from './paused.ts'
import { promptFor } from './prompt-for.ts'
import { limitsOf } from './time-limits.ts'
import { TooLong } from './too-long.ts'

/** After this many deliveries, Iris gives up a turn whose process keeps dying. */
const maxDeliveries = 4

/** Pauses between retries while the store is unavailable. */
const firstPauseMs = 250
const maxPauseMs = 30_000

/** Commits a delivery. If this throws, nothing may be given to Claude Code. */
type Dispatch = (turn: OwnedTurn, why: DeliveryReason, uuid: string, at: number) => void

/** The part of a session worker that carries one turn to its verdict, over as many deliveries as needed. */
export class TurnRunner {
  readonly #session: Session
  readonly #parts: OrchestratorParts
  readonly #board: WorkerBoard
  readonly #maintenance: ContextMaintenance
  readonly #dispatch: Dispatch
  readonly #recovery: Recovery
  /** The running turn's transcript for people. Exists from the turn's first delivery on. */
  #transcript: TurnTranscript | undefined
  /** Whether the conversation was compacted during the current delivery, so that a summary replaced the message. */
  #isSummed = false

  constructor(
    session: Session,
    parts: OrchestratorParts,
    board: WorkerBoard,
    maintenance: ContextMaintenance,
    dispatch: Dispatch,
  ) {
    this.#session = session
    this.#parts = parts
    this.#board = board
    this.#maintenance = maintenance
    this.#dispatch = dispatch
    this.#recovery = new Recovery(session, parts, board.find)
  }

  /**
   * `warm`: a process that is already reserved for the turn. If there is one, the turn's first delivery is already
   * committed. While the store is unavailable, the turn waits: it was accepted, and its end could not be recorded
   * either.
   */
  async run(turn: OwnedTurn, warm: AgentProcess | undefined): Promise<Verdict> {
    let process = warm
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      try {
        return withoutAnswer(turn, await this.#carry(turn, process), this.#parts)
      } catch (error) {
        if (!isStoreTrouble(error)) return this.failed(turn, error)
        this.#waits(turn, error, pauseMs === firstPauseMs)
      }
      process = undefined
      await pause(this.#parts.clock.machine, pauseMs, turn.cancelled)
      if (turn.cancelled.aborted || this.#board.isLeaving()) return stopped(turn)
    }
  }

  /** The verdict on a turn that was stopped by this error. */
  async failed(turn: OwnedTurn, error: unknown): Promise<Verdict> {
    if (error === turn.cancelled.reason) return stopped(turn)
    const message = error instanceof IrisError ? `${error.message} ${error.remedy}` : String(error)
    const fault = ended('failed', reasonOfFault(error), message, turn.partialText)
    if (turn.delivery === undefined || this.#board.isLeaving()) return fault
    return this.#recovery.cutOff(turn, fault).catch(() => fault)
  }

  #waits(turn: OwnedTurn, error: unknown, isFirst: boolean): void {
    const say = isFirst ? 'warn' : 'debug'
    this.#parts.log[say](`a message waits for the store: ${String(error)}`, { turnId: turn.id })
  }

  closeTranscript(turn: OwnedTurn, { outcome, reason, detail, usage }: Verdict): void {
    const durationMs = turn.now() - turn.facts.acceptedAt
    this.#transcript?.end({ outcome, reason, detail, usage, durationMs })
    this.#transcript = undefined
  }

  async #carry(turn: OwnedTurn, warm: AgentProcess | undefined): Promise<Verdict> {
    let process = (warm && (await this.#parts.pool.unlessMoved(this.#session))) ?? (await this.#takeUp(turn))
    try {
      let plan = await this.#beginning(turn, warm !== undefined, process)
      let latest = process
      // The process that still has the message in memory, because it ended the latest delivery with a result.
      let holder: AgentProcess | undefined
      // Usage of earlier deliveries that did not settle the turn, because no value was given or the account was over
      // its limit.
      let used: Usage | null = null
      const recover = (): Promise<Plan> => this.#recovery.plan(turn)
      const tooLong = new TooLong(turn, this.#session, this.#parts, this.#maintenance, recover)
      const paused = new Paused(turn, this.#session, this.#parts, this.#recovery)
      for (let deliveries = 1; ; deliveries++) {
        if (turn.cancelled.aborted) return stopped(turn)
        if (plan.kind === 'settle') {
          const more = this.#reminder(turn, plan.verdict)
          if (more === undefined) return plan.verdict
          plan = more
        }
        if (process === undefined) await this.#parts.seams.accounts.passed(this.#session.to, turn)
        if (turn.cancelled.aborted || this.#board.isLeaving()) return stopped(turn)
        process ??= await acquireFor(turn, this.#session, this.#parts, deliveries === 1 ? 'wait' : 'refuse')
        if (process === undefined) return stopped(turn)
        if (turn.delivery !== undefined && !process.resumed && process !== latest) {
          // The plan relies on the conversation, which may have been lost in the meantime.
          plan = await this.#recovery.plan(turn)
          if (plan.kind === 'settle') return plan.verdict
        }
        latest = process
        process = undefined
        const end = await this.#deliver(turn, latest, plan, holder)
        holder = end.kind === 'result' && !this.#isSummed ? latest : undefined
        if (end.kind !== 'died' && end.kind !== 'known') {
          const { verdict, more } = await this.#judged(turn, end, plan, used, tooLong, paused)
          if (more === undefined) return verdict
          used = verdict.usage
          plan = more
          continue
        }
        if (turn.cancelled.aborted || this.#board.isLeaving()) return stopped(turn)
        if (deliveries === maxDeliveries) {
          const fault = end.kind === 'died' ? diedTooOften(turn, end, deliveries) : hadBefore(turn)
          return this.#recovery.cutOff(turn, fault)
        }
        plan = await this.#recovery.plan(turn)
        if (end.kind === 'known' && plan.kind === 'deliver' && plan.why === 'again') return hadBefore(turn)
      }
    } finally {
      // The process is reserved but has not received this turn: the turn ended first, or the store failed.
      if (process !== undefined && !this.#board.isLeaving()) this.#parts.pool.release(this.#session)
    }
  }

  /**
   * `process`: the process that already has the turn, because it was reserved for it or was left by an earlier daemon.
   */
  async #beginning(turn: OwnedTurn, isWarm: boolean, process: AgentProcess | undefined): Promise<Plan | ContinueRun> {
    const { delivery } = turn
    if (delivery === undefined || isWarm)
      return { kind: 'deliver', why: 'first', uuid: delivery ?? turn.id, text: undefined }
    return process ? { kind: 'continueRun', uuid: delivery } : this.#recovery.plan(turn)
  }

  /**
   * The verdict on a delivery, including the usage of earlier deliveries. `more` is the next delivery, if the turn
   * needs one.
   */
  async #judged(
    turn: OwnedTurn,
    end: Judged,
    plan: Plan | ContinueRun,
    used: Usage | null,
    tooLong: TooLong,
    paused: Paused,
  ) {
    const request = requestOf(turn, plan, this.#parts.ledger)
    const blocked = await blockedRequest(turn, end, request, (fault) => this.#recovery.cutOff(turn, fault))
    const own = blocked ?? (await judgeDelivery(turn, end, this.#session, this.#parts, this.#recovery))
    const judged = await paused.whole(own)
    const usage = used && judged.usage ? addUsage(used, judged.usage) : (judged.usage ?? used)
    const verdict: Verdict = { ...judged, usage }
    if (request === undefined && end.kind === 'result' && isKeptOut(end.result, end.signs)) turn.hadNotBegun()
    const unread = plan.kind === 'continueRun' ? await this.#recovery.afterJoining(turn, verdict) : undefined
    const more =
      continuedAfterLimit(turn, verdict, this.#session, this.#parts) ?? this.#reminder(turn, verdict) ?? unread
    return { verdict, more: more ?? (await paused.after(end, verdict)) ?? (await tooLong.after(end, verdict)) }
  }

  #reminder(turn: OwnedTurn, end: Verdict): Extract<Plan, { kind: 'deliver' }> | undefined {
    return reminder(turn, end, this.#session, this.#parts, (lack) => turn.valueRefused(lack))
  }

  /** The process on another machine in which an earlier daemon left the turn running. Undefined if there is none. */
  async #takeUp(turn: OwnedTurn): Promise<AgentProcess | undefined> {
    const { launcher, pool } = this.#parts
    const { delivery } = turn
    if (!turn.takenUp || delivery === undefined || !launcher.isRemote(this.#session.to)) return undefined
    const process = await pool.takeUp(this.#session, delivery, turn.cancelled)
    if (process === undefined || !turn.cancelled.aborted) return process
    await pool.stop(this.#session, 'its message was cancelled', 'busy')
    return undefined
  }

  async #continueRun(turn: OwnedTurn, process: AgentProcess, { uuid }: ContinueRun): Promise<DeliveryEnd> {
    const { ledger, log, pool, transcripts } = this.#parts
    const session = this.#session
    log.info('Interrupted message continues in its process', { pair: pairText(session), turnId: turn.id })
    let joined: readonly string[]
    try {
      joined = ledger.steers.of(turn.id).map((each) => each.uuid)
      this.#transcript ??= await transcripts.continueRun(session.transcriptHead)
    } catch (error) {
      // The conversation's transcript has the work so far, so the next delivery can continue from there.
      await pool.stop(session, 'Iris cannot follow its message', 'busy')
      throw error
    }
    const end = await this.#watch(turn, process, uuid, { joined }, false)
    // The process's settings, background work and usage under the earlier daemon are unknown, so it is not reused.
    const manner = process.isAtRest ? 'idle' : stopManner(end)
    await pool.stop(session, 'its message has ended; an earlier daemon had started it', manner)
    return end
  }

  #watch(turn: OwnedTurn, process: AgentProcess, uuid: string, prompt: Prompt | GivenBefore, neverSpoke: boolean) {
    const { clock, config, ledger, log, at } = this.#parts
    const openAgents = new OpenAgentsOfDelivery(turn, process, ledger, log)
    return deliver(process, turn, uuid, prompt, {
      clock,
      limits: limitsOf(config, this.#session.to, neverSpoke),
      onLine: (line) => this.#take(line, turn, openAgents),
      drained: () => turn.drained(),
      onStuck: (why) => turn.isStuck(why),
      onWritten: () => at('written', turn),
    })
  }

  async #deliver(
    turn: OwnedTurn,
    process: AgentProcess,
    plan: Extract<Plan, { kind: 'deliver' }> | ContinueRun,
    holder: AgentProcess | undefined,
  ): Promise<DeliveryEnd> {
    this.#isSummed = false
    if (plan.kind === 'continueRun') return this.#continueRun(turn, process, plan)
    const { pool, ledger, transcripts, seams } = this.#parts
    const session = this.#session
    const neverSpoke = session.row.messageCount === 0 && plan.why === 'first'
    const isCommitted = plan.why === 'first' && turn.delivery === plan.uuid
    let prompt: Prompt
    try {
      const files = turn.facts.attachments ? await this.#parts.seams.files.handOver(turn, session) : undefined
      if (!isCommitted) ledger.written(() => this.#dispatch(turn, plan.why, plan.uuid, turn.now()))
      const durable = ledger.durable()
      if (durable) await durable
      await madeKnown(turn, session, plan, seams.otherHosts.shared)
      if (plan.why === 'again' && plan.text === undefined) turn.beginAgain()
      if (turn.contextReset === null) turn.resetContext(session.news)
      this.#transcript ??= transcripts.begin(session.transcriptHead, {
        prompt: turn.facts.message,
        resumed: session.row.messageCount > 0,
      })
      const parcel = { text: plan.text, files, opening: this.#maintenance.opening, holder }
      prompt = await promptFor(turn, session, process, parcel, this.#parts)
    } catch (error) {
      pool.release(session)
      throw error
    }
    const end = await this.#watch(turn, process, plan.uuid, prompt, neverSpoke)
    if (process.context.share) session.measured(process.context.share)
    // The transcript shows what happened to the message, but it is complete only after the process has ended.
    if (end.kind === 'known') await pool.stop(session, 'it was given its message before', 'idle')
    // The process is released only if it has no background work. Otherwise it is stopped together with that work.
    else if (process.isAtRest) pool.release(session)
    else await pool.stop(session, `its turn ended: ${end.kind}`, stopManner(end))
    return end
  }

  #take(line: Line, turn: OwnedTurn, openAgents: OpenAgentsOfDelivery): void {
    const { publish } = this.#parts
    const began = turn.startedAt === null
    turn.take(line)
    this.#parts.seams.accounts.saw(this.#session.to, line)
    openAgents.take(line, turn.now())
    this.#transcript?.line(line)
    this.#maintenance.saw(line)
    this.#isSummed ||= isSystem(line, 'compact_boundary')
    this.#board.saw(turn, line)
    const ids = { turnId: turn.id, ...this.#session.ids }
    if (began && turn.startedAt !== null) publish({ type: 'turn-delivered', queuedMs: turn.queuedMs ?? 0, ...ids })
    publish({ type: 'turn-message', message: line, ...ids })
  }
}

/** A delivery of an earlier daemon that is still in progress in its process. */
interface ContinueRun {
  readonly kind: 'continueRun'
  readonly uuid: string
}
