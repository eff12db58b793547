import type { StreamFrame } from '../../../../src/adapters/client/event-stream.ts'
import type { Output } from '../../shared/api/operations.ts'

export type Board = Output<'get_switchboard'>
export type Session = Board['sessions'][number]
export type Team = Board['teams'][number]
export type Traffic = Board['traffic'][number]

/** The part of a `session-changed` event that is shown. */
interface Changed {
  readonly at: number
  readonly session: Session
  readonly activeProcesses: number
  readonly maxProcesses: number
}

interface Accepted {
  readonly at: number
  readonly from: string
  readonly to: string
}

const mostAccepted = 500

/**
 * What the stream reported since the switchboard was requested. The answer to that request may be older than an event
 * and still arrive after it, so both are kept and the newer one counts.
 */
export class Changes {
  readonly #sessions = new Map<string, Changed>()
  #accepted: Accepted[] = []
  #pool: { readonly at: number; readonly pool: Board['pool'] } | undefined
  #version = 0
  readonly #listeners = new Set<() => void>()

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** A value that is different after each change. */
  readonly version = (): number => this.#version

  readonly take = ({ type, data }: StreamFrame): void => {
    if (type === 'turn-accepted') this.#accepted.push(data as Accepted)
    else if (type === 'session-changed') this.#change(data as Changed)
    else if (type === 'snapshot') this.#forget()
    else return
    this.#version += 1
    for (const listener of this.#listeners) listener()
  }

  /**
   * Whether there are so many changes that a new request is better. A request also brings the traffic figures up to
   * date.
   */
  get isLong(): boolean {
    return this.#accepted.length >= mostAccepted
  }

  /** Forgets changes before `timestamp`, because an answer made at that time contains them. */
  forgetBefore(timestamp: number): void {
    this.#accepted = this.#accepted.filter(({ at }) => at > timestamp)
    for (const [id, { at }] of this.#sessions) if (at < timestamp) this.#sessions.delete(id)
  }

  /** The present board, with the sessions that are to be shown. */
  over(board: Board, isShown: (session: Session) => boolean): Board {
    const { timestamp } = board
    const sessions = new Map(board.sessions.map((session) => [session.sessionId, session]))
    for (const { at, session } of this.#sessions.values()) {
      if (at < timestamp) continue
      if (isShown(session)) sessions.set(session.sessionId, session)
      else sessions.delete(session.sessionId)
    }
    const later = this.#accepted.filter(({ at }) => at > timestamp)
    const pool = this.#pool !== undefined && this.#pool.at >= timestamp ? this.#pool.pool : board.pool
    return { ...board, pool, sessions: [...sessions.values()], traffic: withMore(board.traffic, later) }
  }

  #change(changed: Changed): void {
    const { at, session, activeProcesses, maxProcesses } = changed
    this.#sessions.set(session.sessionId, changed)
    this.#pool = { at, pool: { activeProcesses, maxProcesses } }
  }

  /** Forgets all changes, because everything is requested again. */
  #forget(): void {
    this.#sessions.clear()
    this.#accepted = []
    this.#pool = undefined
  }
}

function withMore(traffic: readonly Traffic[], accepted: readonly Accepted[]): Traffic[] {
  const sums = new Map(traffic.map((each) => [`${each.from}\0${each.to}`, each]))
  for (const { from, to, at } of accepted) {
    const { lastHour, lastDay } = sums.get(`${from}\0${to}`) ?? { lastHour: 0, lastDay: 0 }
    sums.set(`${from}\0${to}`, { from, to, lastHour: lastHour + 1, lastDay: lastDay + 1, lastAt: at })
  }
  return [...sums.values()]
}
