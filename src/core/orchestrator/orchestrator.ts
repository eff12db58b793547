import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { timesFrom } from '../../base/lib/clock.ts'
import { uuidOf } from '../../base/lib/uuid-of.ts'
import type { Budget } from '../../base/protocol/budget.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Cancellation } from '../../base/protocol/turn.ts'
import { MessageLog } from '../../claude/turn/message-log.ts'
import type { Turn } from '../../claude/turn/turn.ts'
import type { Judged } from '../../platform/schema/judge.ts'
import type { TurnRow } from '../../platform/store/ledger.ts'
import type { Session } from '../session/session.ts'
import { admissible, chainOf, notBusy, roomInQueue, waitingForItself } from './admission.ts'
import { type Ask, earlierTurn, factsOf, mayStillAsk, mustBeSame, withRole } from './ask.ts'
import { Budgets } from './budgets.ts'
import { forAnother, markEnding, onRequest, withItsAsker, withItsSession } from './cancellations.ts'
import { endedMeanwhile } from './ended-meanwhile.ts'
import { type ForkRequest, fork } from './fork.ts'
import type { OrchestratorParts, WorkerBoard } from './parts.ts'
import { askAgain } from './retry.ts'
import { SessionWorker, type TurnMaterial } from './session-worker.ts'
import { SettledTurns } from './settled-turns.ts'
import { notBefore, takenUp } from './taken-up.ts'
import { waitFacts } from './wait-facts.ts'
import { waitsForItself } from './wait-graph.ts'

const maxBytesInMemory = 4 * 1024 * 1024

/** Takes turns from acceptance to outcome: refuses at once what must be refused, queues the rest, and loses nothing. */
export class Orchestrator {
  readonly #parts: OrchestratorParts
  readonly #turns = new Map<string, Turn>()
  /** They stay for a while, for readers of their lines; the ledger remembers them for good. */
  readonly #settled = new SettledTurns((id) => this.#turns.delete(id))
  readonly #workers = new WeakMap<Session, SessionWorker>()
  readonly #sessions = new WeakMap<Turn, Session>()
  readonly #board: WorkerBoard
  readonly budgets: Budgets
  #open = true
  #leaving = false
  /** Until the processes of a dead predecessor have gone, nothing may be resumed. */
  #held = true

  constructor(parts: OrchestratorParts) {
    this.#parts = parts
    this.budgets = new Budgets(parts, (turnId, why) => void this.endTree(turnId, why))
    this.#board = {
      find: (id) => this.#turns.get(id),
      accepted: (turn, session) => {
        this.#know(turn, session)
        this.budgets.opened(turn)
      },
      saw: (turn, line) => this.budgets.saw(turn, line),
      settled: (turn, { usage }, discard) => {
        this.#settled.add(turn, discard)
        this.budgets.settled(turn, usage)
      },
      mayBegin: () => this.#open && !this.#held,
      isLeaving: () => this.#leaving,
    }
  }

  /**
   * Commits the message to the ledger and queues it: it survives this process, and anything when `durable` has settled.
   * Returns the id of its turn. Throws an IrisError for what is refused: then nothing has been kept.
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
    if (!this.#open) throw new IrisError('shutting_down', 'Iris is stopping.', 'Ask again after it has started.')
    if (ask.parent) mayStillAsk(ask.parent.turnId, parent)
    ends.catchUp()
    const { settings } = config()
    const place = this.nextTo(parent?.id)
    admissible(ask, place, config())
    this.#parts.accountLimits.refuse(ask.pair.to, ask.waitsMs)
    const budget = this.budgets.admit(parent, ask.budget)
    const session = sessions.open(ask.pair)
    this.#parts.pool.breakers.refuse(session)
    roomInQueue(session, settings.queueLength)
    if (ask.whenBusy === 'refuse') notBusy(session)
    const asker = ask.waits ? parent?.id : undefined
    const material = this.#newTurn(ask, parent, place.hop, budget)
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

  /** Tries an ended turn again; see `askAgain`. */
  retry(turnId: string, evenInDoubt: boolean): string {
    return this.ask(askAgain(turnId, evenInDoubt, this.#parts))
  }

  /** Settles when all that was accepted survives a power cut. Throws `store_unavailable`. */
  async durable(): Promise<void> {
    await this.#parts.ledger.durable()
  }

  /** The turn that was accepted under this key. */
  idByKey(idempotencyKey: string): string | undefined {
    return earlierTurn({ idempotencyKey }, this.#parts.ledger)?.id
  }

  /** The teams of the chain of asks that ends in this turn, the first asker first, also through turns that have ended. */
  chainOf(turn: Turn | undefined): readonly string[] {
    return turn === undefined ? [] : chainOf(turn, this.#parts)
  }

  /** Where an ask of this turn would be: the chain of teams before it, and its number in that chain. */
  nextTo(turnId: string | undefined): { readonly chain: readonly string[]; readonly hop: number } {
    const turn = turnId === undefined ? undefined : this.#turns.get(turnId)
    return { chain: this.chainOf(turn), hop: (turn?.facts.hop ?? 0) + 1 }
  }

  /** A turn that lives, or ended a short time ago. */
  turn(turnId: string): Turn | undefined {
    return this.#turns.get(turnId)
  }

  rowOf(turnId: string): TurnRow | undefined {
    return this.#parts.ledger.turn(turnId)
  }

  /** A value that was judged, for a running turn. */
  giveValue(turn: Turn, judged: Judged): ReturnType<SessionWorker['giveValue']> {
    return this.#workerOf(turn).giveValue(turn.id, judged)
  }

  /** The turn waits for another one from now on. Throws `waits_for_itself` when that would close a ring. */
  awaits(waitingId: string, awaitedId: string): void {
    const waiting = this.#turns.get(waitingId)
    if (waiting === undefined || waiting.awaits.has(awaitedId)) return
    this.#workerOf(waiting).awaits(waitingId, awaitedId, true)
    const ring = waitsForItself(waitingId, waitFacts(this.#parts.sessions, this.#parts.pool))
    if (ring === undefined) return
    this.awaitsNoMore(waitingId, awaitedId)
    throw waitingForItself(ring)
  }

  awaitsNoMore(waitingId: string, awaitedId: string): void {
    const waiting = this.#turns.get(waitingId)
    if (waiting) this.#workerOf(waiting).awaits(waitingId, awaitedId, false)
  }

  /** A new session with the past of another one. Throws `thread_in_use`, `nothing_to_fork`, `unknown_turn`. */
  fork(request: ForkRequest): Promise<Session> {
    return fork(request, this.#parts)
  }

  /** Ends a turn and the asks it waits for. Queued: it never starts; running: interrupted; ended: nothing happens. */
  cancel(turnId: string, why = onRequest): void {
    const turn = this.#turns.get(turnId)
    if (turn === undefined || turn.end !== undefined || turn.cancelled.aborted) return
    this.#workerOf(turn).cancel(turnId, why)
    for (const id of turn.awaits) this.cancel(id, withItsAsker)
  }

  /**
   * Ends a turn and everything it caused, waited for or not; none of it starts again, and none of it asks any more.
   * Returns the ids of those that had not ended.
   */
  endTree(turnId: string, why: Cancellation): readonly string[] {
    const isOf = ({ id, end, facts }: Turn): boolean =>
      end === undefined && (id === turnId || facts.ancestors.includes(turnId))
    const turns = [...this.#turns.values()].filter(isOf)
    markEnding(turns, why, this.#parts)
    for (const turn of turns) this.#workerOf(turn).cancel(turn.id, why)
    return turns.map(({ id }) => id)
  }

  /** The session in which a living turn waits, runs, or ended. */
  sessionOf(turn: Turn): Session {
    const session = this.#sessions.get(turn)
    if (session === undefined) throw new Error(`turn ${turn.id} has no session`)
    return session
  }

  /** Ends the pair's conversation and cancels everything in it. What is asked from now on opens another one. */
  end(session: Session, why: string): readonly string[] {
    const ids = session.queue.map(({ id }) => id)
    this.#parts.sessions.end(session, why)
    for (const id of ids) this.cancel(id)
    return ids
  }

  /**
   * Begins the pair's conversation anew: what runs is cancelled, what waits goes on in the new one, once that has ended.
   * Returns the new session.
   */
  startAfresh(session: Session, why: string): Session {
    const [first] = session.queue
    // Taken up from a former daemon and not begun yet: it belongs to the old conversation all the same.
    if (first && !session.running) this.cancel(first.id)
    const next = this.#parts.sessions.startAfresh(session, why, (to) => {
      this.#worker(session).handOver(this.#worker(to))
    })
    for (const turn of next.queue) this.#sessions.set(turn, next)
    if (first) this.cancel(first.id)
    if (next.queue.length > 0) void this.#worker(next).work(first?.settled)
    return next
  }

  /** Takes up what a former daemon left: every turn the ledger has accepted and not settled, in its order. */
  load(): void {
    const { clock, ledger, log, sessions, spillDirectory } = this.#parts
    // Lines of turns that nobody can ask for any more.
    rmSync(spillDirectory, { recursive: true, force: true })
    const now = clock.now()
    const unsettled = ledger.unsettled()
    const ahead = unsettled.filter((row) => notBefore(row, now) > now).length
    if (ahead > 0) log.warn('the clock of this machine has gone back: what passed since counts as no time', { ahead })
    for (const row of unsettled) {
      const why = sessions.rowOf(row.session).status === 'archived' ? withItsSession : row.ending
      if (why !== null) {
        ledger.settle(row, endedMeanwhile(row, why, notBefore(row, now)))
        continue
      }
      const session = sessions.ofRow(row.session)
      const { past, ...material } = takenUp(row, session, this.#parts)
      const turn = this.#worker(session).takeUp({ ...material, log: this.#logOf(row.id) }, past)
      this.#know(turn, session)
      this.budgets.takenUp(turn)
    }
    this.budgets.look()
  }

  /** No process of a former daemon is left: work may begin. */
  begin(): void {
    this.#held = false
    this.#parts.pool.begin()
    for (const session of this.#parts.sessions.all()) void this.#worker(session).work()
  }

  /** Accepts nothing more; resolves when what runs has ended, or the grace is over. What waits stays in the ledger. */
  async drain(graceOver: Promise<void>): Promise<void> {
    this.#open = false
    const running = [...this.#parts.sessions.all()].flatMap(({ running: turn }) => turn?.settled ?? [])
    await Promise.race([Promise.all(running), graceOver])
    this.#leaving = true
    this.budgets.close()
  }

  #newTurn(ask: Ask, parent: Turn | undefined, hop: number, budget: Budget | undefined): TurnMaterial {
    const { newId, clock } = this.#parts
    const id = ask.idempotencyKey === undefined ? newId() : uuidOf(ask.idempotencyKey)
    // A tree of asks has one clock, so that what its turns took adds up.
    const now = parent?.now ?? timesFrom(clock.now(), clock)
    const facts = factsOf(ask, parent, { id, hop, budget: budget ?? null, acceptedAt: now() })
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
