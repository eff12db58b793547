import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { timesFrom } from '../../base/lib/clock.ts'
import { uuidOf } from '../../base/lib/uuid-of.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Cancellation } from '../../base/protocol/turn.ts'
import type { TurnRow } from '../../platform/store/ledger.ts'
import type { SteerRow } from '../../platform/store/steers.ts'
import { forAnother, markEnding, onRequest, withItsAsker } from '../queue/cancellations.ts'
import { carrierOf } from '../queue/remote-runner.ts'
import { SessionWorker, type TurnMaterial } from '../queue/session-worker.ts'
import { steer, steeredBefore } from '../queue/steer.ts'
import { leftUnsettled } from '../queue/unsettled-turns.ts'
import { recordLostCommands } from '../recover/lost-commands.ts'
import type { OrchestratorParts, WorkerBoard } from '../recover/parts.ts'
import { chainOf } from '../session/chain.ts'
import { missingFor } from '../session/seams.ts'
import type { Session } from '../session/session.ts'
import { waitingForItself, waitsForItself } from '../session/wait-graph.ts'
import { type Ask, earlierTurn, factsOf, mayStillAsk, mustBeSame, withRole } from '../turn/ask.ts'
import type { JudgedValue } from '../turn/message-contracts.ts'
import { MessageLog } from '../turn/message-log.ts'
import { SettledTurns } from '../turn/settled-turns.ts'
import type { TreeBudgets } from '../turn/tree-budgets.ts'
import type { Turn, TurnFacts } from '../turn/turn.ts'
import { admissible, notBusy, roomInQueue } from './admission.ts'
import { type ForkRequest, fork } from './fork.ts'
import { askAgain } from './retry.ts'
import { waitFacts } from './wait-facts.ts'

/**
 * How much of one turn's output stays in memory. The rest goes to a file, so that many long turns do not fill the
 * memory.
 */
const maxBytesInMemory = 4 * 1024 * 1024

interface TakenWith extends Pick<TurnFacts, 'hop'> {
  readonly budget: TurnFacts['budget'] | undefined
}

/** Takes turns from acceptance to outcome: refuses at once or queues, and loses no accepted turn. */
export class Orchestrator {
  readonly #parts: OrchestratorParts
  readonly #turns = new Map<string, Turn>()
  /** Settled turns stay in memory for a while, for readers of their lines. The ledger keeps them permanently. */
  readonly #settled = new SettledTurns((id) => this.#turns.delete(id))
  readonly #workers = new WeakMap<Session, SessionWorker>()
  readonly #sessions = new WeakMap<Turn, Session>()
  readonly #board: WorkerBoard
  #open = true
  #leaving = false
  /** While this is true, no work begins: processes of an earlier daemon may still be running on this machine. */
  #held = true

  get budgets(): TreeBudgets {
    return this.#parts.seams.budgets
  }

  constructor(parts: OrchestratorParts) {
    this.#parts = parts
    this.#board = {
      find: (id) => this.#turns.get(id),
      accepted: (turn, session) => {
        this.#know(turn, session)
        this.budgets.opened(turn)
      },
      saw: (turn, line) => this.budgets.saw(turn, line),
      leftFor: (turn) => this.budgets.leftFor(turn),
      settled: (turn, { usage }, discard) => {
        this.#settled.add(turn, discard)
        this.budgets.settled(turn, usage)
      },
      mayBegin: () => this.#open && !this.#held,
      isLeaving: () => this.#leaving,
    }
  }

  /**
   * Commits the message to the ledger and queues it. From then on the message survives a crash of Iris and, once
   * `durable` has resolved, a power cut too. Returns the id of the message's turn. Throws an IrisError if the ask is
   * refused; nothing of it is then stored.
   */
  ask(asked: Ask): string {
    const { config, ends, sessions } = this.#parts
    const parent = asked.parent && this.#turns.get(asked.parent.turnId)
    const ask = withRole(asked, parent, config())
    const earlier = earlierTurn(ask, this.#parts.ledger)
    if (earlier) {
      mustBeSame(earlier, sessions.rowOf(earlier.session), ask)
      return earlier.id
    }
    const joined = steeredBefore(ask, this.#parts)
    if (joined !== undefined) return joined
    if (!this.#open) throw new IrisError('shutting_down', 'Iris is stopping.', 'Ask again after it has started.')
    if (ask.parent) mayStillAsk(ask.parent.turnId, parent)
    ends.catchUp()
    const place = ask.origin ?? this.nextTo(parent?.id)
    admissible(ask, place, this.#parts)
    const missing = missingFor(
      {
        thread: ask.pair.thread,
        responseSchema: ask.responseSchema ?? null,
        attachments: ask.attachments ?? null,
        budget: ask.budget ?? null,
      },
      this.#parts.seams,
    )
    if (missing !== undefined) throw missing
    const budget = this.budgets.admit(parent, ask.budget, ask.sharedBudget)
    if (carrierOf(ask.pair, this.#parts.seams) !== this.#parts.seams.openSessions)
      this.#parts.seams.accounts.refuse(ask.pair.to, ask.waitsMs, budget?.time)
    return sessions.openFor(ask.pair, (session) => this.#take(ask, session, parent, { hop: place.hop, budget }))
  }

  /** Throws if the conversation does not accept the message. */
  #take(ask: Ask, session: Session, parent: Turn | undefined, own: TakenWith): string {
    const { settings } = this.#parts.config()
    this.#parts.pool.breakers.refuse(session)
    const steered = ask.whenBusy === 'steer' ? steer(session, ask, this.#parts) : undefined
    if (steered !== undefined) return steered
    roomInQueue(session, settings.queueLength)
    if (ask.whenBusy === 'refuse') notBusy(session)
    const asker = ask.waits ? parent?.id : undefined
    const attachments = this.#parts.seams.files.admitted(ask, session)
    const material = this.#newTurn(ask, parent, { hop: own.hop, budget: own.budget ?? null, attachments })
    const { id } = material.facts
    try {
      const mayWait = (): void => {
        if (asker !== undefined) this.awaits(asker, id)
      }
      this.#worker(session).accept(material, ask, mayWait)
      const [first] = session.queue
      if (ask.whenBusy === 'interrupt' && first && first.id !== id) this.cancel(first.id, forAnother)
      return id
    } catch (error) {
      if (asker !== undefined) this.awaitsNoMore(asker, id)
      throw error
    }
  }

  /** Retries an ended turn; see `askAgain`. Returns the id of the retry. */
  retry(turnId: string, evenInDoubt: boolean): string {
    return this.ask(askAgain(turnId, evenInDoubt, this.#parts))
  }

  /** Resolves when everything accepted so far survives a power cut. Throws `store_unavailable`. */
  async durable(): Promise<void> {
    await this.#parts.ledger.durable()
  }

  /** The id of the turn that was accepted under this key. */
  idByKey(idempotencyKey: string): string | undefined {
    const { ledger } = this.#parts
    return earlierTurn({ idempotencyKey }, ledger)?.id ?? ledger.steers.byKey(idempotencyKey)?.turn
  }

  /** The teams in the chain of asks that leads to this turn, first asker first. Includes turns that have ended. */
  chainOf(turn: Turn | undefined): readonly string[] {
    return turn === undefined ? [] : chainOf(turn, { ...this.#parts, otherHosts: this.#parts.seams.otherHosts })
  }

  /**
   * The position of an ask made by this turn: the chain of teams before the ask, and the ask's number in that chain.
   */
  nextTo(turnId: string | undefined): { readonly chain: readonly string[]; readonly hop: number } {
    const turn = turnId === undefined ? undefined : this.#turns.get(turnId)
    return { chain: this.chainOf(turn), hop: (turn?.facts.hop ?? 0) + 1 }
  }

  /** A turn that has not ended, or ended recently. */
  turn(turnId: string): Turn | undefined {
    return this.#turns.get(turnId)
  }

  steersOf(turnId: string): readonly SteerRow[] {
    return this.#parts.ledger.steers.of(turnId)
  }

  rowOf(turnId: string): TurnRow | undefined {
    return this.#parts.ledger.turn(turnId)
  }

  /** Gives a running turn a value that has been checked against the turn's schema. */
  giveValue(turn: Turn, judged: JudgedValue): ReturnType<SessionWorker['giveValue']> {
    return this.#workerOf(turn).giveValue(turn.id, judged)
  }

  /** Records that one turn waits for another. Throws `waits_for_itself` if that would close a cycle. */
  awaits(waitingId: string, awaitedId: string): void {
    const waiting = this.#turns.get(waitingId)
    if (waiting === undefined || waiting.awaits.has(awaitedId)) return
    this.#workerOf(waiting).awaits(waitingId, awaitedId, true)
    const ring = waitsForItself(
      waitingId,
      waitFacts(this.#parts.sessions, this.#parts.pool, this.#parts.seams.otherHosts),
    )
    if (ring === undefined) return
    this.awaitsNoMore(waitingId, awaitedId)
    throw waitingForItself(ring)
  }

  awaitsNoMore(waitingId: string, awaitedId: string): void {
    const waiting = this.#turns.get(waitingId)
    if (waiting) this.#workerOf(waiting).awaits(waitingId, awaitedId, false)
  }

  /**
   * Opens a session with the history of another one. Throws `thread_in_use`, `nothing_to_fork`, `unknown_turn`,
   * `invalid_input` and `store_unavailable`.
   */
  fork(request: ForkRequest): Promise<Session> {
    return fork(request, this.#parts)
  }

  /** Cancels a turn and the asks it waits for. A queued turn never starts. A running turn is interrupted. */
  cancel(turnId: string, why = onRequest): void {
    const turn = this.#turns.get(turnId)
    if (turn === undefined || turn.end !== undefined || turn.cancelled.aborted) return
    this.#workerOf(turn).cancel(turnId, why)
    for (const id of turn.awaits) this.cancel(id, withItsAsker)
  }

  /**
   * Ends a turn and everything it caused, whether or not the turn waits for it. None of these turns can start or ask
   * again. Returns the ids of the turns that had not ended yet.
   */
  endTree(turnId: string, why: Cancellation): readonly string[] {
    const isOf = ({ id, end, facts }: Turn): boolean =>
      end === undefined && (id === turnId || facts.ancestors.includes(turnId))
    const turns = [...this.#turns.values()].filter(isOf)
    markEnding(turns, why, this.#parts)
    for (const turn of turns) this.#workerOf(turn).cancel(turn.id, why)
    return turns.map(({ id }) => id)
  }

  /** The session of a turn that is still in memory. */
  sessionOf(turn: Turn): Session {
    const session = this.#sessions.get(turn)
    if (session === undefined) throw new Error(`turn ${turn.id} has no session`)
    return session
  }

  /**
   * Archives the pair's conversation, cancels its turns, and returns their ids. The next ask opens a new conversation.
   */
  end(session: Session, why: string): readonly string[] {
    const ids = session.queue.map(({ id }) => id)
    this.#parts.sessions.end(session, why)
    for (const id of ids) this.cancel(id)
    return ids
  }

  /**
   * Replaces the pair's conversation. The running turn is cancelled; the waiting turns move to the new session and
   * begin once the running turn has ended. Returns the new session.
   */
  startOver(session: Session, why: string): Session {
    const [first] = session.queue
    // The first turn may be a resumed one. Such a turn belongs to the old conversation, even if it has not begun.
    if (first && !session.running) this.cancel(first.id)
    const next = this.#parts.sessions.startOver(session, why, (to) => {
      this.#worker(session).handOver(this.#worker(to))
    })
    for (const turn of next.queue) this.#sessions.set(turn, next)
    if (first) this.cancel(first.id)
    if (next.queue.length > 0) void this.#worker(next).work(first?.settled)
    return next
  }

  /**
   * Resumes the work of an earlier daemon: every turn that was accepted and not settled, in the order of the ledger.
   */
  load(): void {
    // Deletes the lines that the earlier daemon wrote to disk, because nobody can read them any more.
    rmSync(this.#parts.spillDirectory, { recursive: true, force: true })
    for (const { session, past, ...material } of leftUnsettled(this.#parts)) {
      const log = this.#logOf(material.facts.id)
      const turn = this.#worker(session).takeUp({ ...material, log }, past)
      this.#know(turn, session)
      this.budgets.takenUp(turn)
    }
    this.budgets.look()
  }

  /** Call this once no process of an earlier daemon is left on this machine: work may then begin. */
  begin(): void {
    this.#held = false
    void recordLostCommands(this.#parts)
    this.#parts.pool.begin()
    for (const session of this.#parts.sessions.all()) void this.#worker(session).work()
  }

  /**
   * Stops accepting messages. Resolves when the running turns have ended or the grace period is over. The queue stays
   * in the ledger.
   */
  async drain(graceOver: Promise<void>): Promise<void> {
    this.#open = false
    const own = [...this.#parts.sessions.all()].filter((session) => carrierOf(session, this.#parts.seams) === undefined)
    const running = own.flatMap(({ running: turn }) => turn?.settled ?? [])
    await Promise.race([Promise.all(running), graceOver])
    this.#leaving = true
    this.budgets.close()
  }

  #newTurn(ask: Ask, parent: Turn | undefined, own: Pick<TurnFacts, 'hop' | 'budget' | 'attachments'>): TurnMaterial {
    const { newId, clock } = this.#parts
    const { origin, idempotencyKey: key } = ask
    const id = origin?.turnId ?? (key === undefined ? newId() : uuidOf(key))
    // All turns of a tree share one clock, so that their durations add up.
    const now = parent?.now ?? timesFrom(clock.now(), clock)
    const facts = factsOf(ask, parent, { id, ...own, acceptedAt: now() })
    return { facts, log: this.#logOf(id), now }
  }

  #worker(session: Session): SessionWorker {
    const known = this.#workers.get(session)
    if (known) return known
    const worker = new SessionWorker(session, this.#parts, this.#board)
    this.#workers.set(session, worker)
    return worker
  }

  #workerOf(turn: Turn): SessionWorker {
    return this.#worker(this.sessionOf(turn))
  }

  #know(turn: Turn, session: Session): void {
    this.#turns.set(turn.id, turn)
    this.#sessions.set(turn, session)
  }

  #logOf(id: string): MessageLog {
    return new MessageLog(join(this.#parts.spillDirectory, `${id}.ndjson`), maxBytesInMemory)
  }
}
