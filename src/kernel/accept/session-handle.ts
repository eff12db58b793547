import type { Pair } from '../../base/protocol/pair.ts'
import type { SessionRow } from '../../platform/store/sessions.ts'
import type { Launcher } from '../pool/launch.ts'
import type { Pool } from '../pool/pool.ts'
import type { OpenElsewhere } from '../session/open-elsewhere.ts'
import type { Session } from '../session/session.ts'
import { busy, notAtWorkByItself, notHeld, nothingToOpen, ownTurnEnd } from '../session/session-refusals.ts'
import type { Sessions } from '../session/sessions.ts'
import type { Orchestrator } from './orchestrator.ts'
import { activityOf, type SessionActivity, type SessionStatus } from './session-status.ts'

/** `force`: may cancel a running turn, and end a conversation that a person has open. */
export interface Force {
  readonly force: boolean
}

/** The facts about a conversation that was ended, replaced or put to sleep. */
export interface Left {
  readonly sessionId: string
  readonly hadProcess: boolean
  /** Ids of the turns that were cancelled. */
  readonly cancelled: readonly string[]
}

/** The row of the session that `fork` opened. */
export type Forked = Pick<SessionRow, 'from' | 'to' | 'thread' | 'sessionId' | 'originSession' | 'originMessage'>

/**
 * The conversation of a pair. Methods take and return only data, so that the conversation may be on another machine.
 * Each method checks its conditions in the same tick in which it acts.
 */
export interface SessionHandle {
  readonly pair: Pair
  /** Resolves to undefined if the pair has no conversation. */
  status(): Promise<SessionStatus | undefined>
  /**
   * Ensures that the session has a process; opens a conversation if there is none. Throws the errors of `Pool.acquire`.
   */
  wake(signal: AbortSignal): Promise<{ readonly sessionId: string; readonly alreadyAwake: boolean }>
  /** Like `wake`, but returns undefined if the pool has no free place. Throws the errors of a start. */
  wakeIfRoom(signal: AbortSignal): Promise<{ readonly sessionId: string; readonly alreadyAwake: boolean } | undefined>
  /** Ends the conversation's process. Throws `process_busy`. */
  sleep(force: Force): Promise<Left | undefined>
  /**
   * Begins a new conversation and starts its process; waiting turns move to the new conversation. Throws `process_busy`
   * and `session_held`.
   */
  startOver(
    force: Force,
    signal: AbortSignal,
  ): Promise<{ readonly sessionId: string; readonly movedTurns: number; readonly left: Left | undefined }>
  /** Archives the conversation; the next message opens a new one. Throws `process_busy` and `session_held`. */
  end(force: Force): Promise<Left | undefined>
  /**
   * Leaves the conversation to a person: ends its process if no turn is running. Throws `unknown_session` and
   * `session_held`.
   */
  leaveToPerson(): Promise<{ readonly sessionId: string; readonly runningTurnId: string | undefined }>
  /**
   * Copies the conversation to a thread, up to the answer to `fromTurn` or its last answer. Throws like
   * `Orchestrator.fork`.
   */
  fork(newThread: string, fromTurn: string | undefined): Promise<Forked>
}

/** Facts about a session's process, for diagnosis. */
export interface ProcessFacts extends Pick<SessionActivity, 'processState'> {
  readonly process:
    | {
        readonly pid: number
        readonly resumed: boolean
        readonly toolsRunning: readonly string[]
        readonly stderr: string
      }
    | undefined
}

export interface SessionHandlesParts {
  readonly sessions: Sessions
  readonly pool: Pool
  readonly seams: { readonly holders: Pick<OpenElsewhere, 'holderOf' | 'refresh'> }
  readonly launcher: Pick<Launcher, 'transcriptOf'>
  readonly orchestrator: Pick<Orchestrator, 'cancel' | 'end' | 'fork' | 'startOver' | 'turn'>
}

/** All conversations, through handles that also work from another machine. */
export class SessionHandles {
  readonly #parts: SessionHandlesParts

  constructor(parts: SessionHandlesParts) {
    this.#parts = parts
  }

  of(pair: Pair): SessionHandle {
    return {
      pair,
      status: async () => {
        const session = this.#parts.sessions.openLive(pair)
        return session && this.#status(session)
      },
      wake: (signal) => this.#wake(pair, signal),
      wakeIfRoom: (signal) => this.#wakeIfRoom(pair, signal),
      sleep: (force) => this.#sleep(pair, force),
      startOver: (force, signal) => this.#startOver(pair, force, signal),
      end: (force) => this.#end(pair, force),
      leaveToPerson: () => this.#leaveToPerson(pair),
      fork: async (newThread, fromTurn) => (await this.#parts.orchestrator.fork({ pair, newThread, fromTurn })).row,
    }
  }

  /** The session that a turn's row refers to by `id`; archived sessions included. */
  rowOf(id: number): SessionRow {
    return this.#parts.sessions.rowOf(id)
  }

  /** Finds a session by Claude Code's id; includes archived sessions. */
  bySessionId(sessionId: string): SessionRow | undefined {
    return this.#parts.sessions.bySessionId(sessionId)
  }

  /** The activity of the session with this row. */
  activityOf(row: SessionRow): SessionActivity {
    return activityOf(row.sessionId, this.#parts.sessions.opened(row), this.#parts)
  }

  processOf(row: SessionRow): ProcessFacts {
    const { sessions, pool } = this.#parts
    const session = sessions.opened(row)
    const process = session && pool.process(session)
    return {
      processState: session ? pool.state(session) : 'stopped',
      process: process && {
        pid: process.pid,
        resumed: process.resumed,
        toolsRunning: [...process.toolsRunning],
        stderr: process.stderr,
      },
    }
  }

  /** The sessions used since Iris started. All others are only in the store. */
  opened(): SessionStatus[] {
    return Array.from(this.#parts.sessions.all(), (session) => this.#status(session))
  }

  /** The sessions that have a process. */
  awake(): SessionStatus[] {
    return this.#parts.pool.holders().map((session) => this.#status(session))
  }

  /** The sessions in which a team answers, most recently used first. */
  ofTeam(team: string, limit: number): SessionStatus[] {
    return this.#parts.sessions.openOfTeam(team, limit).map((session) => this.#status(session))
  }

  /** The number of a team's live sessions. */
  countOf(team: string): number {
    return this.#parts.sessions.countOf(team)
  }

  /** Settles when an unsolicited turn of the team has ended. Undefined if no such turn is running. */
  ownTurnEnd(team: string): Promise<unknown> | undefined {
    const { pool } = this.#parts
    const ends = pool
      .holders()
      .flatMap((session) => (session.to === team ? (ownTurnEnd(pool.process(session)) ?? []) : []))
    return ends.length === 0 ? undefined : Promise.race(ends)
  }

  /** How many processes there are, and how many there may be. */
  get processes(): { readonly activeProcesses: number; readonly maxProcesses: number } {
    const { size, maxProcesses } = this.#parts.pool
    return { activeProcesses: size, maxProcesses }
  }

  #status(session: Session): SessionStatus {
    return { ...session.row, ...activityOf(session.sessionId, session, this.#parts) }
  }

  async #wake(pair: Pair, signal: AbortSignal) {
    const { sessions, pool } = this.#parts
    const session = sessions.open(pair)
    const alreadyAwake = pool.state(session) !== 'stopped'
    if (!alreadyAwake) {
      await pool.acquire(session, signal)
      pool.release(session)
    }
    return { sessionId: session.sessionId, alreadyAwake }
  }

  async #wakeIfRoom(pair: Pair, signal: AbortSignal) {
    const { sessions, pool } = this.#parts
    const known = sessions.openLive(pair)
    if (known && pool.state(known) !== 'stopped') return { sessionId: known.sessionId, alreadyAwake: true }
    if (signal.aborted || pool.size >= pool.maxProcesses) return undefined
    const session = known ?? sessions.open(pair)
    pool.breakers.refuse(session)
    pool.starts.restWithin(0)
    const started = await pool.warmUp(session, 0)
    return started ? { sessionId: session.sessionId, alreadyAwake: false } : undefined
  }

  async #sleep(pair: Pair, { force }: Force): Promise<Left | undefined> {
    const { sessions, pool, orchestrator } = this.#parts
    const session = sessions.openLive(pair)
    if (session === undefined) return undefined
    const { running } = session
    if (running && !force) throw busy(pair, running.id, 'cancel it')
    if (!force) notAtWorkByItself(pair, pool.process(session))
    if (running) orchestrator.cancel(running.id)
    const hadProcess = await pool.retire(session, 'put to sleep', running?.settled)
    // If there was no process, `retire` did not wait for the message's end.
    await running?.settled
    return { sessionId: session.sessionId, hadProcess, cancelled: running ? [running.id] : [] }
  }

  async #startOver(pair: Pair, { force }: Force, signal: AbortSignal) {
    const { sessions, pool, seams, orchestrator } = this.#parts
    const old = sessions.openOrRestore(pair)
    if (!force) notHeld(old, seams.holders)
    const first = old?.queue[0]
    if (first && !force) throw busy(pair, first.id, 'cancel it')
    if (old && !force) notAtWorkByItself(pair, pool.process(old))
    const session = old ? orchestrator.startOver(old, 'rebooted on request') : sessions.open(pair)
    const movedTurns = session.queue.length
    const left = old && {
      sessionId: old.sessionId,
      hadProcess: await pool.retire(old, 'rebooted on request', first?.settled),
      cancelled: first ? [first.id] : [],
    }
    await first?.settled
    // A waiting turn starts the process itself, and its caller learns of any failure.
    if (session.queue.length === 0 && pool.state(session) === 'stopped') {
      await pool.acquire(session, signal)
      pool.release(session)
    }
    return { sessionId: session.sessionId, movedTurns, left }
  }

  async #end(pair: Pair, { force }: Force): Promise<Left | undefined> {
    const { sessions, pool, seams, orchestrator } = this.#parts
    const session = sessions.openOrRestore(pair)
    if (session === undefined) return undefined
    if (!force) notHeld(session, seams.holders)
    const [first] = session.queue
    if (first && !force) throw busy(pair, first.id, 'cancel it and what waits behind it')
    if (!force) notAtWorkByItself(pair, pool.process(session))
    // From this tick on, an ask from the pair opens a new conversation and cannot reach this one.
    const cancelled = orchestrator.end(session, 'deleted on request')
    const ended = cancelled.flatMap((id) => orchestrator.turn(id)?.settled ?? [])
    const hadProcess = await pool.retire(session, 'deleted on request', ended[0])
    await Promise.all(ended)
    return { sessionId: session.sessionId, hadProcess, cancelled }
  }

  async #leaveToPerson(pair: Pair) {
    const { sessions, pool, seams, launcher } = this.#parts
    const session = sessions.openLive(pair)
    if (session === undefined) throw nothingToOpen(pair, 'they have never spoken')
    await seams.holders.refresh(pair.to)
    notHeld(session, seams.holders)
    const { running } = session
    if (running === undefined) await pool.stop(session, 'taken over in a terminal')
    const transcript = await launcher.transcriptOf(session)
    if (transcript === undefined && running === undefined)
      throw nothingToOpen(pair, 'Claude Code has no transcript of it')
    return { sessionId: session.sessionId, runningTurnId: running?.id }
  }
}
