import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ClaudeProcess } from '../claude/process.ts'
import { timesFrom } from '../lib/clock.ts'
import { uuidOf } from '../lib/uuid-of.ts'
import type { Budget } from '../protocol/budget.ts'
import { IrisError } from '../protocol/error.ts'
import type { Cancellation } from '../protocol/turn.ts'
import type { Session } from '../session/session.ts'
import type { TurnRow } from '../store/ledger.ts'
import { MessageLog } from '../turn/message-log.ts'
import { Turn } from '../turn/turn.ts'
import {
  chainOf,
  knownTeam,
  notInChain,
  notTooDeep,
  roomInQueue,
  usableMessage,
  waitingForItself,
} from './admission.ts'
import { announce } from './announce.ts'
import { type Ask, earlierTurn, factsOf, mayStillAsk, mustBeSame } from './ask.ts'
import { Budgets } from './budgets.ts'
import { markEnding, onRequest, withItsAsker, withItsSession } from './cancellations.ts'
import { endedMeanwhile } from './ended-meanwhile.ts'
import { type ForkRequest, fork } from './fork.ts'
import { Lane } from './lane.ts'
import type { OrchestratorParts } from './parts.ts'
import { notBefore, takenUp } from './taken-up.ts'
import { waitFacts } from './wait-facts.ts'
import { waitsForItself } from './wait-graph.ts'

/** A turn by its id: living, or as the ledger remembers it. */
export type FoundTurn = { readonly live: Turn } | { readonly row: TurnRow }

const maxBytesInMemory = 4 * 1024 * 1024
/** Settled turns whose lines are kept for late readers. */
const settledKept = 100

/** Takes turns from acceptance to outcome: refuses at once what must be refused, queues the rest, and loses nothing. */
export class Orchestrator {
  readonly #parts: OrchestratorParts
  readonly #turns = new Map<string, Turn>()
  readonly #settled: string[] = []
  readonly #lanes = new WeakMap<Session, Lane>()
  readonly #sessions = new WeakMap<Turn, Session>()
  readonly budgets: Budgets
  #open = true
  #leaving = false
  /** Until the processes of a dead predecessor have gone, nothing may be resumed. */
  #held = true

  constructor(parts: OrchestratorParts) {
    this.#parts = parts
    this.budgets = new Budgets(parts, (turnId, why) => void this.endTree(turnId, why))
  }

  /**
   * Commits the message to the ledger and queues it; from here on it survives anything. Throws an IrisError for what is
   * refused: then nothing has been kept.
   */
  ask(ask: Ask): FoundTurn {
    const { config, ends, sessions } = this.#parts
    const earlier = earlierTurn(ask, this.#parts.ledger)
    if (earlier) {
      mustBeSame(earlier, sessions.rowOf(earlier.session), ask)
      return this.find(earlier.id) ?? { row: earlier }
    }
    if (!this.#open) throw new IrisError('shutting_down', 'Iris is stopping.', 'Ask again when it runs.')
    if (ask.parent) mayStillAsk(ask.parent.turn)
    ends.catchUp()
    const { settings } = config()
    knownTeam(ask.pair.to, config())
    usableMessage(ask.message, settings.maxMessageBytes)
    const chain = this.chainOf(ask.parent?.turn)
    const hop = (ask.parent?.turn.facts.hop ?? 0) + 1
    notTooDeep(hop, chain)
    if (ask.waits) notInChain(ask.pair, chain.length > 0 ? chain : [ask.pair.from])
    const budget = this.budgets.admit(ask.parent?.turn, ask.budget)
    const session = sessions.open(ask.pair)
    this.#parts.pool.breakers.refuse(session)
    roomInQueue(session, settings.queueLength)
    const turn = this.#newTurn(ask, hop, budget)
    session.queue.push(turn)
    this.#sessions.set(turn, session)
    let warm: ClaudeProcess | undefined
    try {
      if (ask.parent && ask.waits) this.awaits(ask.parent.turn, turn)
      warm = this.#commit(turn, session, ask)
    } catch (error) {
      session.queue.splice(session.queue.indexOf(turn), 1)
      ask.parent?.turn.awaits.delete(turn)
      throw error
    }
    this.#turns.set(turn.id, turn)
    announce(turn, session, this.budgets, this.#parts)
    if (!this.#held) void this.#lane(session).work(warm)
    return { live: turn }
  }

  /** The turn that was accepted under this key. */
  findByKey(idempotencyKey: string): FoundTurn | undefined {
    const row = earlierTurn({ idempotencyKey }, this.#parts.ledger)
    return row && (this.find(row.id) ?? { row })
  }

  /** The teams of the chain of asks that ends in this turn, the first asker first, also through turns that have ended. */
  chainOf(turn: Turn | undefined): readonly string[] {
    return turn === undefined ? [] : chainOf(turn, this.#parts)
  }

  find(turnId: string): FoundTurn | undefined {
    const live = this.#turns.get(turnId)
    if (live) return { live }
    const row = this.#parts.ledger.turn(turnId)
    return row && { row }
  }

  /** The turn waits for another one from now on. Throws `waits_for_itself` when that would close a ring. */
  awaits(waiting: Turn, awaited: Turn): void {
    waiting.awaits.add(awaited)
    const ring = waitsForItself(waiting.id, waitFacts(this.#parts.sessions, this.#parts.pool))
    if (ring === undefined) return
    waiting.awaits.delete(awaited)
    throw waitingForItself(ring)
  }

  /** A new session with the past of another one. Throws `thread_in_use`, `nothing_to_fork`, `unknown_turn`. */
  fork(request: ForkRequest): Promise<Session> {
    return fork(request, this.#parts)
  }

  /** Ends a turn and the asks it waits for. Queued: it never starts; running: interrupted; ended: nothing happens. */
  cancel(turn: Turn, why = onRequest): void {
    if (turn.end !== undefined || turn.cancelled.aborted) return
    this.#stop(turn, why)
    for (const ask of turn.awaits) this.cancel(ask, withItsAsker)
  }

  /**
   * Ends a turn and everything it caused, waited for or not; none of it starts again, and none of it asks any more.
   * Returns what had not ended.
   */
  endTree(turnId: string, why: Cancellation): readonly Turn[] {
    const isOf = ({ id, end, facts }: Turn): boolean =>
      end === undefined && (id === turnId || facts.ancestors.includes(turnId))
    const turns = [...this.#turns.values()].filter(isOf)
    markEnding(turns, why, this.#parts)
    for (const turn of turns) this.#stop(turn, why)
    return turns
  }

  /** The session in which a living turn waits, runs, or ended. */
  sessionOf(turn: Turn): Session {
    const session = this.#sessions.get(turn)
    if (session === undefined) throw new Error(`turn ${turn.id} has no session`)
    return session
  }

  /** Ends the pair's conversation and cancels everything in it. What is asked from now on opens another one. */
  end(session: Session, why: string): readonly Turn[] {
    const turns = [...session.queue]
    this.#parts.sessions.end(session, why)
    for (const turn of turns) this.cancel(turn)
    return turns
  }

  /**
   * Begins the pair's conversation anew: what runs is cancelled, what waits goes on in the new one, once that has ended.
   * Returns the new session.
   */
  startAfresh(session: Session, why: string): Session {
    const [first] = session.queue
    // Taken up from a former daemon and not begun yet: it belongs to the old conversation all the same.
    if (first && !session.running) this.cancel(first)
    const next = this.#parts.sessions.startAfresh(session, why)
    for (const turn of next.queue) this.#sessions.set(turn, next)
    if (first) this.cancel(first)
    if (!this.#held && next.queue.length > 0) void this.#lane(next).work(undefined, first?.settled)
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
      const turn = takenUp(row, session, this.#logOf(row.id), this.#parts)
      this.#turns.set(turn.id, turn)
      session.queue.push(turn)
      this.#sessions.set(turn, session)
      this.budgets.takenUp(turn)
    }
    this.budgets.look()
  }

  /** No process of a former daemon is left: work may begin. */
  begin(): void {
    this.#held = false
    this.#parts.pool.begin()
    for (const session of this.#parts.sessions.all()) void this.#lane(session).work()
  }

  /** Accepts nothing more; resolves when what runs has ended, or the grace is over. What waits stays in the ledger. */
  async drain(graceOver: Promise<void>): Promise<void> {
    this.#open = false
    const running = [...this.#parts.sessions.all()].flatMap(({ running }) => (running ? [running.settled] : []))
    for (const session of this.#parts.sessions.all()) session.queue.splice(session.running ? 1 : 0)
    await Promise.race([Promise.all(running), graceOver])
    this.#leaving = true
    this.budgets.close()
  }

  #stop(turn: Turn, why: Cancellation): void {
    if (turn.end !== undefined) return
    turn.cancel(why)
    const session = this.sessionOf(turn)
    if (session.running !== turn) this.#lane(session).withdraw(turn)
  }

  #newTurn(ask: Ask, hop: number, budget: Budget | undefined): Turn {
    const { newId, clock } = this.#parts
    const id = ask.idempotencyKey === undefined ? newId() : uuidOf(ask.idempotencyKey)
    // A tree of asks has one clock, so that what its turns took adds up.
    const now = ask.parent?.turn.now ?? timesFrom(clock.now(), clock)
    const facts = factsOf(ask, { id, hop, budget: budget ?? null, acceptedAt: now() })
    return new Turn(facts, this.#logOf(id), now)
  }

  /** One commit, also for the delivery when a warm process stands ready for it: that one is returned, reserved. */
  #commit(turn: Turn, session: Session, { idempotencyKey }: Ask): ClaudeProcess | undefined {
    const { config, ledger, pool } = this.#parts
    // A conversation that is full is made shorter before its next message is given to it.
    const mayTakeWarm = session.queue[0] === turn && !this.#held && !session.isFull(config().settings.compactAt)
    const warm = mayTakeWarm ? pool.takeWarm(session) : undefined
    const row = { ...turn.facts, session: session.row.id, idempotencyKey: idempotencyKey ?? null }
    try {
      ledger.atomically(() => {
        ledger.accept(row)
        if (warm) ledger.dispatch(row, turn.id, 'first', turn.facts.acceptedAt)
      })
    } catch (error) {
      if (warm) pool.release(session)
      throw error
    }
    if (warm) {
      turn.delivery = turn.id
      turn.dispatchedAt = turn.facts.acceptedAt
    }
    return warm
  }

  #lane(session: Session): Lane {
    const known = this.#lanes.get(session)
    if (known) return known
    const lane = new Lane(session, this.#parts, {
      find: (id) => this.#turns.get(id),
      saw: (turn, line) => this.budgets.saw(turn, line),
      settled: (turn, { usage }) => {
        this.#forget(turn)
        this.budgets.settled(turn, usage)
      },
      isLeaving: () => this.#leaving,
    })
    this.#lanes.set(session, lane)
    return lane
  }

  /** Settled turns stay for a while, for readers of their lines; the ledger remembers them for good. */
  #forget(turn: Turn): void {
    this.#settled.push(turn.id)
    const oldest = this.#settled.length > settledKept ? this.#settled.shift() : undefined
    if (oldest === undefined) return
    this.#turns.get(oldest)?.discard()
    this.#turns.delete(oldest)
  }

  #logOf(id: string): MessageLog {
    return new MessageLog(join(this.#parts.spillDirectory, `${id}.ndjson`), maxBytesInMemory)
  }
}
