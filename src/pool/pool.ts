import type { ClaudeProcess } from '../claude/process.ts'
import { pause } from '../lib/clock.ts'
import { deferred } from '../lib/deferred.ts'
import { IrisError } from '../protocol/error.ts'
import type { ProcessState } from '../protocol/event.ts'
import { pairText } from '../protocol/party.ts'
import type { Session } from '../session/session.ts'
import type { StopManner } from '../transport/transport.ts'
import { Breakers } from './breakers.ts'
import { isOutdated } from './carried-settings.ts'
import { toEvict, toShed } from './eviction.ts'
import type { PoolParts } from './pool-parts.ts'
import { Slot } from './slot.ts'
import { NoFreeProcess, WaitingLine } from './waiting-line.ts'
import { watchProcess } from './watch-process.ts'

const outdated = 'its settings have changed'

/** Which sessions have a process. At most `maxProcesses`; one a session; a busy or reserved one is never ended for room. */
export class Pool {
  readonly #parts: PoolParts
  readonly #slots = new Map<Session, Slot>()
  readonly breakers: Breakers
  readonly #line: WaitingLine
  readonly #closing = new AbortController()
  readonly #begun = deferred<void>()

  constructor(parts: PoolParts) {
    this.#parts = parts
    this.breakers = new Breakers(parts)
    this.#line = new WaitingLine(parts.clock)
  }

  get size(): number {
    return this.#slots.size
  }

  get maxProcesses(): number {
    return this.#parts.config().settings.maxProcesses
  }

  /** Another session could have a process at once, if need be in the place of an idle one. */
  get hasRoom(): boolean {
    return this.#slots.size < this.maxProcesses || toEvict(this.#slots.values()) !== undefined
  }

  state(session: Session): ProcessState {
    return this.#slots.get(session)?.state ?? 'stopped'
  }

  process(session: Session): ClaudeProcess | undefined {
    return this.#slots.get(session)?.process
  }

  holders(): Session[] {
    return [...this.#slots.keys()]
  }

  /** The processes of a dead predecessor have gone: until then any one of them could be a second writer. */
  begin(): void {
    this.#begun.resolve()
  }

  /** The session's idle process, reserved in this very tick, or undefined. */
  takeWarm(session: Session): ClaudeProcess | undefined {
    const slot = this.#slots.get(session)
    if (!slot?.isWarm || isOutdated(slot, this.#parts.config())) return undefined
    slot.reserve()
    return slot.process
  }

  /**
   * Starts the session's process before anybody asks, if that takes nothing from anybody: `spare` places stay free.
   * A start that fails is not tried again. Returns whether it was started.
   */
  async warmUp(session: Session, spare = 1): Promise<boolean> {
    const hasSpare = this.#slots.size < this.maxProcesses - spare
    if (!hasSpare || this.#slots.has(session) || this.breakers.broken(session) || this.#closing.signal.aborted)
      return false
    const retries = this.breakers.retries(session, this.#closing.signal)
    const process = await this.#start(session, { ...retries, allowed: async () => false })
    if (process === undefined) return false
    this.release(session)
    return true
  }

  /**
   * The session's process, reserved until `release`: the warm one, or a new one, for which the least recently used idle
   * one makes room. When all are busy, or a person has the conversation open, it waits, at most `queueTimeout`; for an open
   * breaker only `whenBroken`. Rejects with NoFreeProcess, SessionHeld, BreakerOpen, the signal's reason, or what starting threw.
   */
  async acquire(
    session: Session,
    signal: AbortSignal,
    whenBroken: 'wait' | 'refuse' = 'refuse',
  ): Promise<ClaudeProcess> {
    const { clock, config, log, takeOvers } = this.#parts
    const began = clock.elapsed()
    const waiter = this.#line.newWaiter()
    try {
      for (;;) {
        signal.throwIfAborted()
        if (this.#closing.signal.aborted)
          throw new IrisError('shutting_down', 'Iris is stopping.', 'Ask again when it runs.')
        const { queueTimeout } = config().settings
        const leftMs = began + queueTimeout - clock.elapsed()
        if (takeOvers.holderOf(session) !== undefined) {
          waiter.leave()
          await takeOvers.whenLeft(session, leftMs, AbortSignal.any([signal, this.#closing.signal]))
          continue
        }
        const warm = this.takeWarm(session)
        if (warm) return warm
        const slot = this.#slots.get(session)
        if (slot) {
          waiter.leave()
          if (!slot.isTaken && isOutdated(slot, this.#parts.config())) await this.#end(slot, outdated)
          else await slot.changed()
          continue
        }
        const restMs = this.breakers.restMs(session, whenBroken === 'wait' ? leftMs : 0)
        if (restMs > 0) {
          waiter.leave()
          await pause(clock, restMs, AbortSignal.any([signal, this.#closing.signal]))
          continue
        }
        waiter.join()
        if (waiter.isFirst && this.#slots.size < this.maxProcesses) {
          waiter.leave()
          const started = await this.#start(session)
          if (started) return started
          continue
        }
        const idle = waiter.isFirst ? toEvict(this.#slots.values()) : undefined
        if (idle) {
          log.warn('pool full, the least recently used idle process makes room', { pair: pairText(idle.session) })
          await this.#end(idle, 'evicted: least recently used', 'idle')
        } else if (!(await waiter.sleep(leftMs, signal))) {
          throw new NoFreeProcess(this.holders().map(pairText), queueTimeout)
        }
      }
    } finally {
      waiter.leave()
    }
  }

  /** The session is done with its process for now. */
  release(session: Session): void {
    const slot = this.#slots.get(session)
    if (!slot) return
    if (slot.state === 'stopped') {
      void this.#end(slot, 'it exited', 'now')
      return
    }
    this.breakers.well(session)
    slot.release(this.#parts.clock.elapsed())
    this.#endOnceIdle(slot)
    this.#endUnfit(slot)
    this.#line.wakeFirst()
  }

  /** Another configuration is in force: what no longer fits ends once it is idle, and whoever waits looks again. */
  settingsChanged(): void {
    for (const slot of this.#slots.values()) {
      if (slot.isTaken) continue
      this.#endOnceIdle(slot)
      this.#endUnfit(slot)
    }
    this.#line.wakeAll()
  }

  /** Ends the session's process; resolves when it has gone, with whether there was one. */
  async stop(session: Session, why: string, manner?: StopManner): Promise<boolean> {
    const slot = this.#slots.get(session)
    if (!slot) return false
    await this.#end(slot, why, manner)
    return true
  }

  /** Asks every idle process whether it lives, and ends those that do not say so in time; returns how many. */
  async endHung(patienceMs: number): Promise<number> {
    const idle = [...this.#slots.values()].filter(({ evictable }) => evictable)
    const ended = idle.map(async (slot) => {
      const { lastUsedAt } = slot
      if (await slot.process!.probe(patienceMs)) return false
      // Somebody has taken it meanwhile: then its silence is watched.
      if (!slot.evictable || slot.lastUsedAt !== lastUsedAt) return false
      await this.#end(slot, `it hung: no answer within ${patienceMs} ms`, 'now')
      return true
    })
    return (await Promise.all(ended)).filter(Boolean).length
  }

  /**
   * Ends the session's process once its turn has ended; what waits behind that turn gets another one. Resolves when it
   * has gone, with whether there was one.
   */
  async retire(session: Session, why: string, turnEnded: Promise<unknown> | undefined): Promise<boolean> {
    const slot = this.#slots.get(session)
    if (!slot) return false
    slot.retire()
    await turnEnded
    await this.#end(slot, why)
    return true
  }

  /** Settles when nobody works with the session's process. */
  unused(session: Session): Promise<void> | undefined {
    return this.#slots.get(session)?.unused()
  }

  /** Ends them all; from now on none is started. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#line.wakeAll()
    await Promise.all([...this.#slots.values()].map((slot) => this.#end(slot, 'Iris is stopping')))
  }

  /** Undefined when a person has its conversation open. */
  async #start(
    session: Session,
    retries = this.breakers.retries(session, this.#closing.signal),
  ): Promise<ClaudeProcess | undefined> {
    const slot = new Slot(session, this.#parts.config(), this.#parts.clock.elapsed())
    this.#slots.set(session, slot)
    this.#parts.mirror(session, 'spawning')
    try {
      await this.#begun.promise
      const process = await this.#parts.takeOvers.unlessHeld(session, () => this.#parts.launch(session, retries))
      if (process === undefined) {
        this.#free(slot)
        return undefined
      }
      slot.started(process)
      this.#watch(slot, process)
      return process
    } catch (error) {
      this.#parts.publish({ type: 'process-error', teamName: session.to, error: String(error), ...session.ids })
      this.#free(slot)
      throw error
    }
  }

  #watch(slot: Slot, process: ClaudeProcess): void {
    watchProcess(slot.session, process, this.#parts, this.breakers, {
      onUnasked: () => {
        // What ran in the background is done: the process may have become one that can make room.
        this.#endUnfit(slot)
        this.#line.wakeFirst()
      },
      onForeign: (why) => void this.#end(slot, why, 'busy'),
      // Whoever holds it sees that, and ends what it left behind; if nobody does, it is done here.
      onExited: () => {
        if (!slot.isTaken) void this.#end(slot, 'it exited', 'now')
      },
    })
  }

  #endOnceIdle(slot: Slot, idleSince = slot.lastUsedAt): void {
    const { clock, config } = this.#parts
    const { teams, settings } = config()
    const idleTimeout = teams.get(slot.session.to)?.idleTimeout ?? settings.idleTimeout
    slot.takeBackIdleTimer()
    slot.takeBackIdleTimer = clock.after(Math.max(0, idleSince + idleTimeout - clock.elapsed()), () => {
      if (slot.evictable) void this.#end(slot, `idle for ${idleTimeout} ms`, 'idle')
      // Something runs in its background.
      else this.#endOnceIdle(slot, clock.elapsed())
    })
  }

  /** Ends the idle process that has no place in the configuration any more, or another one if there are too many. */
  #endUnfit(slot: Slot): void {
    const { teams } = this.#parts.config()
    const { session } = slot
    if (slot.isTaken) return
    if (!teams.has(session.to) && session.waiting === 0) void this.#end(slot, 'its team was removed')
    else if (slot.evictable && isOutdated(slot, this.#parts.config())) void this.#end(slot, outdated)
    const surplus = toShed(this.#slots.values(), this.maxProcesses)
    if (surplus) void this.#end(surplus, `settings.maxProcesses is ${this.maxProcesses} now`)
  }

  async #end(slot: Slot, why: string, manner?: StopManner): Promise<void> {
    slot.retire()
    const { session } = slot
    while (slot.process === undefined && this.#slots.get(session) === slot) await slot.changed()
    if (slot.process === undefined) return
    await slot.process.stop(manner)
    if (this.#slots.get(session) !== slot) return
    this.#parts.publish({ type: 'process-terminated', teamName: session.to, why, ...session.ids })
    this.#free(slot)
  }

  #free(slot: Slot): void {
    this.#slots.delete(slot.session)
    slot.free()
    this.#parts.mirror(slot.session, 'stopped')
    this.#line.wakeFirst()
  }
}
