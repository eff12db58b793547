import type { Retries } from '../../base/agent/agent.ts'
import { type Clock, pause } from '../../base/lib/clock.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import type { Session } from '../session/session.ts'
import { Breaker, BreakerOpen, type Broken } from './breaker.ts'

export interface BreakersParts {
  readonly clock: Clock
  readonly publish: (event: IrisEvent) => void
  /** Returns a number from 0 to 1, like Math.random. */
  readonly random: () => number
}

/** The breakers of all sessions whose process has failed. Publishes an event when a breaker opens or closes. */
export class Breakers {
  readonly #parts: BreakersParts
  readonly #breakers = new WeakMap<Session, Breaker>()

  constructor(parts: BreakersParts) {
    this.#parts = parts
  }

  /** The session's breaker while it is open or half-open. Undefined while it is closed. */
  broken(session: Session): Broken | undefined {
    return this.#breakers.get(session)?.broken
  }

  /** How often the session's process has failed since Iris was started. */
  failures(session: Session): number {
    return this.#breakers.get(session)?.total ?? 0
  }

  /** Throws BreakerOpen while the session's breaker is open. */
  refuse(session: Session): void {
    const breaker = this.#breakers.get(session)
    const { broken, pauseMs = 0 } = breaker ?? {}
    if (broken?.state === 'open') throw new BreakerOpen(session.to, broken, pauseMs)
  }

  /**
   * How long to wait before a start, milliseconds. Throws BreakerOpen if the breaker stays open for longer than
   * `patienceMs`.
   */
  restMs(session: Session, patienceMs: number): number {
    const restMs = this.#breakers.get(session)?.pauseMs ?? 0
    if (restMs > patienceMs) this.refuse(session)
    return restMs
  }

  failed(session: Session, cause: string): void {
    const { clock, random, publish } = this.#parts
    const breaker = this.#breakers.get(session) ?? new Breaker(clock, random)
    this.#breakers.set(session, breaker)
    const opened = breaker.failed(cause)
    if (opened === undefined) return
    const { retryAt } = opened
    publish({ type: 'breaker-opened', teamName: session.to, cause, retryAt, ...session.ids })
  }

  /** Called when the session's process has worked. */
  well(session: Session): void {
    const closed = this.#breakers.get(session)?.well() === true
    if (closed) this.#parts.publish({ type: 'breaker-closed', teamName: session.to, ...session.ids })
  }

  /** The retries for `Launcher.launch`. The signal ends the pauses between tries. */
  retries(session: Session, signal: AbortSignal): Retries {
    return {
      failed: (error) => {
        this.#parts.publish({ type: 'process-error', teamName: session.to, error, ...session.ids })
        this.failed(session, error)
      },
      allowed: async () => {
        if (this.broken(session)) return false
        await pause(this.#parts.clock, this.restMs(session, 0), signal)
        return !signal.aborted
      },
    }
  }
}
