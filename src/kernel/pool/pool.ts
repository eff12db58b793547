import type { Retries } from '../../base/agent/agent.ts'
import type { AgentProcess } from '../../base/agent/process.ts'
import { pause } from '../../base/lib/clock.ts'
import { deferred } from '../../base/lib/deferred.ts'
import type { StopManner } from '../../base/lib/program-end.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { ProcessState } from '../../base/protocol/event.ts'
import { pairText } from '../../base/protocol/pair.ts'
import type { WaitsFor } from '../../base/protocol/waits-for.ts'
import type { Session } from '../session/session.ts'
import { openIn } from '../session/session-refusals.ts'
import { Breakers } from './breakers.ts'
import { isOutdated } from './carried-settings.ts'
import type { PoolParts } from './pool-parts.ts'
import type { Slot } from './slot.ts'
import { outdated, Slots } from './slots.ts'
import { SessionCreationError, StartFailed } from './start-failure.ts'
import { StartRate } from './start-rate.ts'
import { NoFreeProcess, WaitingLine } from './waiting-line.ts'
import { watchProcess } from './watch-process.ts'

/** Why a message waits for a place, and since when, in milliseconds since the epoch. */
type PlaceWait = Pick<WaitsFor, 'kind' | 'since' | 'what' | 'remedy'>

/**
 * Decides which sessions have a process: at most `maxProcesses` sessions, one process each. Never evicts a busy or
 * reserved one.
 */
export class Pool {
  readonly #parts: PoolParts
  readonly #slots: Slots
  readonly breakers: Breakers
  readonly starts: StartRate
  readonly #line: WaitingLine
  readonly #closing = new AbortController()
  readonly #begun = deferred<void>()

  constructor(parts: PoolParts) {
    this.#parts = parts
    this.breakers = new Breakers(parts)
    this.#line = new WaitingLine(parts.clock)
    this.#slots = new Slots(parts, () => this.#line.wakeFirst())
    this.starts = new StartRate(parts.clock, () => parts.config().settings.startsPerMinute)
  }

  get size(): number {
    return this.#slots.size
  }

  get maxProcesses(): number {
    return this.#slots.maxProcesses
  }

  /** Whether another session could get a process at once, if necessary by evicting an idle one. */
  get hasRoom(): boolean {
    return this.#slots.hasFree || this.#slots.evictable !== undefined
  }

  /** Why a message waits for a place. Undefined if it does not wait for one. */
  placeWait(turnId: string): PlaceWait | undefined {
    const since = this.#line.since(turnId)
    if (since === undefined) return undefined
    return { since, ...this.#whyNoPlace() }
  }

  #whyNoPlace(): Omit<PlaceWait, 'since'> {
    const { size, maxProcesses } = this
    return this.#slots.hasFree
      ? {
          kind: 'process',
          what: 'As many processes as settings.startsPerMinute allows were started within a minute',
          remedy: 'wait a minute, or raise it',
        }
      : {
          kind: 'process',
          what: `No free process: ${size} of ${maxProcesses} are busy`,
          remedy: 'wait, or raise settings.maxProcesses',
        }
  }

  state(session: Session): ProcessState {
    return this.#slots.of(session)?.state ?? 'stopped'
  }

  process(session: Session): AgentProcess | undefined {
    return this.#slots.of(session)?.process
  }

  holders(): Session[] {
    return this.#slots.all().map(({ session }) => session)
  }

  /**
   * Call this once the processes of an earlier daemon on this machine have exited. Until then, each of them could still
   * write to a conversation.
   */
  begin(): void {
    this.#begun.resolve()
  }

  /** Reserves the session's idle process in this tick and returns it. Returns undefined if there is none. */
  takeWarm(session: Session): AgentProcess | undefined {
    const slot = this.#slots.of(session)
    if (!slot?.isWarm || isOutdated(slot, this.#parts)) return undefined
    slot.reserve()
    return slot.process
  }

  /**
   * The reserved process. Undefined if it had to be ended, for example because the team's path now leads elsewhere: see
   * `Slots.unlessMoved`.
   */
  async unlessMoved(session: Session): Promise<AgentProcess | undefined> {
    const slot = this.#slots.of(session)
    return slot && this.#slots.unlessMoved(slot)
  }

  /**
   * Starts the session's process in advance, without retries, if `spare` places remain free. Resolves to whether it was
   * started.
   */
  async warmUp(session: Session, spare = 1): Promise<boolean> {
    const hasSpare = this.#slots.size < this.maxProcesses - spare
    if (
      !hasSpare ||
      this.starts.restMs > 0 ||
      this.#slots.of(session) ||
      this.breakers.broken(session) ||
      this.#closing.signal.aborted
    )
      return false
    const retries = this.breakers.retries(session, this.#closing.signal)
    const process = await this.#start(session, { ...retries, allowed: async () => false })
    if (process === undefined) return false
    this.release(session)
    return true
  }

  /**
   * Returns the session's process, reserved until `release`. This is the warm process, or a new one, for which an idle
   * process may be evicted. Waits up to `queueTimeout` while all processes are busy, the start rate is used up, or a
   * person has the conversation open. Waits for an open breaker only if `whenBroken` is `wait`. Rejects with
   * NoFreeProcess, TooManyStarts, SessionHeld, BreakerOpen, `shutting_down`, the signal's reason, or the error of the
   * start.
   */
  async acquire(
    session: Session,
    signal: AbortSignal,
    whenBroken: 'wait' | 'refuse' = 'refuse',
  ): Promise<AgentProcess> {
    const { clock, config, seams } = this.#parts
    const began = clock.elapsed()
    const tell = this.#teller(session)
    const waiter = this.#line.newWaiter(session, this.#parts.seams.usualTimes.inForce()?.answerMs(session))
    try {
      for (;;) {
        signal.throwIfAborted()
        if (this.#closing.signal.aborted)
          throw new IrisError('shutting_down', 'Iris is stopping.', 'Ask again after it has started.')
        const { queueTimeout } = config().settings
        const leftMs = began + queueTimeout - clock.elapsed()
        const holder = seams.holders.holderOf(session)
        if (holder !== undefined) {
          tell(openIn(holder))
          waiter.leave()
          await seams.holders.whenLeft(session, leftMs, AbortSignal.any([signal, this.#closing.signal]))
          continue
        }
        const warm = this.takeWarm(session) && (await this.unlessMoved(session))
        if (warm) return warm
        const slot = this.#slots.of(session)
        if (slot) {
          waiter.leave()
          if (!slot.isTaken && isOutdated(slot, this.#parts)) await this.#slots.end(slot, outdated)
          else await slot.changed()
          continue
        }
        const restMs = this.breakers.restMs(session, whenBroken === 'wait' ? leftMs : 0)
        if (restMs > 0) {
          waiter.leave()
          await pause(clock, restMs, AbortSignal.any([signal, this.#closing.signal]))
          continue
        }
        for (const overtaken of waiter.join()) this.#overtook(session, overtaken)
        if (waiter.isFirst && this.#slots.hasFree) {
          const startMs = this.starts.restWithin(leftMs)
          if (startMs > 0) {
            tell(this.#whyNoPlace())
            await waiter.sleep(startMs, signal)
            continue
          }
          waiter.take()
          const started = await this.#start(session)
          if (started) return started
          continue
        }
        const idle = waiter.isFirst ? this.#slots.evictable : undefined
        if (idle) {
          await this.#slots.evict(idle)
          continue
        }
        tell(this.#whyNoPlace())
        if (!(await waiter.sleep(leftMs, signal))) throw new NoFreeProcess(this.holders().map(pairText), queueTimeout)
      }
    } finally {
      waiter.leave()
    }
  }

  /**
   * The process of an earlier daemon that has this message, reserved until `release`. Undefined if no process has the
   * conversation. Until the machine is reachable, the session gets no other process. Rejects like `Launcher.takeUp`.
   */
  takeUp(session: Session, message: string, signal: AbortSignal): Promise<AgentProcess | undefined> {
    const ended = AbortSignal.any([signal, this.#closing.signal])
    return this.#fill(session, () => this.#parts.takeUp(session, message, ended))
  }

  /** Returns the session's process to the pool. */
  release(session: Session): void {
    const slot = this.#slots.of(session)
    if (!slot) return
    if (slot.state === 'stopped') {
      void this.#slots.end(slot, 'it exited', 'now')
      return
    }
    this.breakers.well(session)
    slot.release(this.#parts.clock.elapsed())
    this.#slots.endOnceIdle(slot)
    this.#slots.endUnfit(slot)
    this.#line.wakeFirst()
  }

  /**
   * Call this when the configuration has changed. Ends processes that no longer match it as soon as they are idle, and
   * lets all waiters check again.
   */
  settingsChanged(): void {
    for (const slot of this.#slots.all()) {
      if (slot.isTaken) continue
      this.#slots.endOnceIdle(slot)
      this.#slots.endUnfit(slot)
    }
    this.handRules()
    this.#line.wakeAll()
  }

  /**
   * Call this when rules that allow tools have changed. Gives each process its pair's rules at once, even during a
   * turn.
   */
  handRules(): void {
    for (const slot of this.#slots.all()) void this.#slots.handRules(slot)
  }

  /** Ends the session's process. After its exit, resolves to whether there was a process. */
  async stop(session: Session, why: string, manner?: StopManner): Promise<boolean> {
    const slot = this.#slots.of(session)
    if (!slot) return false
    await this.#slots.end(slot, why, manner)
    return true
  }

  /** Probes every idle process and ends those that do not answer in time. Resolves to how many were ended. */
  endHung(patienceMs: number): Promise<number> {
    return this.#slots.endHung(patienceMs)
  }

  /**
   * Ends the session's process once `turnEnded` settles; waiting turns get a new process. After the exit of the old
   * one, resolves to whether there was a process. If there is none, resolves at once and ignores `turnEnded`.
   */
  async retire(session: Session, why: string, turnEnded: Promise<unknown> | undefined): Promise<boolean> {
    const slot = this.#slots.of(session)
    if (!slot) return false
    slot.retire()
    await turnEnded
    await this.#slots.end(slot, why)
    return true
  }

  /** Settles once the session's process is no longer reserved. Undefined if there is no process. */
  unused(session: Session): Promise<void> | undefined {
    return this.#slots.of(session)?.unused()
  }

  /** Ends all processes. No further process is started. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#line.wakeAll()
    await Promise.all(this.#slots.all().map((slot) => this.#slots.end(slot, 'Iris is stopping')))
  }

  /** Returns a function that publishes what the session's message waits for, at most once for each kind of wait. */
  #teller({ running, ids }: Session): (wait: Pick<WaitsFor, 'kind' | 'what' | 'remedy'>) => void {
    const told = new Set<string>()
    return ({ kind, what, remedy }) => {
      if (running === undefined || told.has(kind)) return
      told.add(kind)
      this.#parts.publish({ type: 'turn-waits', turnId: running.id, kind, what, remedy, ...ids })
    }
  }

  #overtook({ running, ids }: Session, overtaken: string): void {
    if (running) this.#parts.publish({ type: 'turn-overtook', turnId: running.id, overtaken, ...ids })
  }

  /** Resolves to undefined if a person has the conversation open. */
  #start(session: Session, retries?: Retries): Promise<AgentProcess | undefined> {
    const { signal } = this.#closing
    const counted = (): Retries => this.starts.counting(this.breakers.retries(session, signal), signal)
    this.starts.count()
    return this.#fill(session, async (slot) => {
      await this.#begun.promise
      slot.starts(await this.#parts.directoryOf(session.to), this.#parts.config())
      return this.#parts.seams.holders.unlessHeld(session, () => this.#parts.launch(session, retries ?? counted()))
    })
  }

  async #fill(session: Session, begin: (slot: Slot) => Promise<AgentProcess | undefined>) {
    const slot = this.#slots.take(session)
    try {
      const process = await begin(slot)
      if (process === undefined) {
        this.#slots.free(slot)
        return undefined
      }
      slot.started(process)
      void this.#slots.handRules(slot)
      this.#watch(slot, process)
      return process
    } catch (error) {
      // Each failed try was already published.
      if (!(error instanceof StartFailed || error instanceof SessionCreationError)) {
        const said = error instanceof Error ? error.message : String(error)
        this.#parts.publish({ type: 'process-error', teamName: session.to, error: said, ...session.ids })
      }
      this.#slots.free(slot)
      throw error
    }
  }

  #watch(slot: Slot, process: AgentProcess): void {
    watchProcess(slot.session, process, this.#parts, this.breakers, {
      onUnsolicited: () => {
        // Background work is done, so the process may have become evictable.
        this.#slots.endUnfit(slot)
        this.#line.wakeFirst()
      },
      onForeign: (why) => void this.#slots.end(slot, why, 'busy'),
      // If a turn reserved the process, that turn notices the exit and frees the slot. Otherwise the slot is freed
      // here.
      onExited: () => {
        if (!slot.isTaken) void this.#slots.end(slot, 'it exited', 'now')
      },
    })
  }
}
