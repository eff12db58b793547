import type { Line } from '../claude/line.ts'
import type { ClaudeProcess } from '../claude/process.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { IrisError } from '../protocol/error.ts'
import type { IrisEvent, ProcessState } from '../protocol/event.ts'
import { pairText } from '../protocol/party.ts'
import type { Session } from '../session/session.ts'
import type { StopManner } from '../transport/transport.ts'
import { carryTheSame } from './carried-settings.ts'
import { toEvict } from './eviction.ts'
import { Slot } from './slot.ts'
import { WaitingLine } from './waiting-line.ts'

export interface PoolParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly log: Log
  readonly publish: (event: IrisEvent) => void
  /** Starts the session's process and waits until it is ready. Throws `spawn_failed`, `spawn_timeout` and the like. */
  readonly launch: (session: Session) => Promise<ClaudeProcess>
  readonly mirror: (session: Session, state: ProcessState) => void
  /** The CLI had a turn of its own: nobody's answer. */
  readonly unasked: (session: Session, lines: readonly Line[]) => void
}

/** Exit code of a CLI that was asked to end by SIGTERM. */
const terminated = 143
const outdated = 'its settings have changed'

/** All processes stayed busy for the whole of the queue time; names the pairs that hold them. */
export class NoFreeProcess extends IrisError {
  constructor(holders: readonly string[], waitedMs: number) {
    super(
      'no_free_process',
      `All ${holders.length} processes stayed busy for ${waitedMs} ms: ${holders.join(', ')}.`,
      'Ask again later, or raise settings.maxProcesses.',
    )
  }
}

/** Which sessions have a process. At most `maxProcesses`; one a session; a busy or reserved one is never ended for room. */
export class Pool {
  readonly #parts: PoolParts
  readonly #slots = new Map<Session, Slot>()
  readonly #line: WaitingLine
  #closed = false

  constructor(parts: PoolParts) {
    this.#parts = parts
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

  /** The session's idle process, reserved in this very tick, or undefined. */
  takeWarm(session: Session): ClaudeProcess | undefined {
    const slot = this.#slots.get(session)
    if (!slot?.isWarm || this.#isOutdated(slot)) return undefined
    slot.reserve()
    return slot.process
  }

  /**
   * The session's process, reserved until `release`: the warm one, or a new one, for which the least recently used idle
   * one makes room. When all are busy it waits in order, at most `queueTimeout`. Rejects with NoFreeProcess, the
   * signal's reason, or what starting threw.
   */
  async acquire(session: Session, signal: AbortSignal): Promise<ClaudeProcess> {
    const { clock, config } = this.#parts
    const began = clock.elapsed()
    const waiter = this.#line.newWaiter()
    try {
      for (;;) {
        signal.throwIfAborted()
        if (this.#closed) throw new IrisError('shutting_down', 'Iris is stopping.', 'Ask again when it runs.')
        const warm = this.takeWarm(session)
        if (warm) return warm
        const slot = this.#slots.get(session)
        if (slot) {
          waiter.leave()
          if (!slot.isTaken && this.#isOutdated(slot)) await this.#end(slot, outdated)
          else await slot.changed()
          continue
        }
        waiter.join()
        if (waiter.isFirst && this.#slots.size < this.maxProcesses) return this.#start(session)
        const idle = waiter.isFirst ? toEvict(this.#slots.values()) : undefined
        if (idle) {
          await this.#evict(idle)
          continue
        }
        const { queueTimeout } = config().settings
        if (!(await waiter.sleep(began + queueTimeout - clock.elapsed(), signal))) {
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

  /** Ends them all; from now on none is started. */
  async close(): Promise<void> {
    this.#closed = true
    this.#line.wakeAll()
    await Promise.all([...this.#slots.values()].map((slot) => this.#end(slot, 'Iris is stopping')))
  }

  async #start(session: Session): Promise<ClaudeProcess> {
    const slot = new Slot(session, this.#parts.config(), this.#parts.clock.elapsed())
    this.#slots.set(session, slot)
    this.#parts.mirror(session, 'spawning')
    try {
      const process = await this.#parts.launch(session)
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
    const { session } = slot
    this.#parts.publish({ type: 'process-spawned', teamName: session.to, pid: process.pid, ...session.ids })
    this.#parts.mirror(session, 'idle')
    process.unasked$.subscribe((lines) => {
      this.#parts.unasked(session, lines)
      // What ran in the background is done: the process may have become one that can make room.
      this.#endUnfit(slot)
      this.#line.wakeFirst()
    })
    void process.exited.then(({ code, signal }) => {
      // Killed, it has not written down what it cost.
      session.costSoFar = signal === null && code !== terminated ? process.costSoFar : undefined
      this.#parts.publish({ type: 'process-exited', teamName: session.to, code, signal, ...session.ids })
      // Whoever holds it sees that, and ends what it left behind; if nobody does, it is done here.
      if (!slot.isTaken) void this.#end(slot, 'it exited', 'now')
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

  /** The configuration says something else by now about what a process has from its start. */
  #isOutdated({ config, session }: Slot): boolean {
    return !carryTheSame(config, this.#parts.config(), session.to)
  }

  /** Ends the idle process that has no place in the configuration any more, or another one if there are too many. */
  #endUnfit(slot: Slot): void {
    const { teams } = this.#parts.config()
    const { session } = slot
    if (slot.isTaken) return
    if (!teams.has(session.to) && session.waiting === 0) void this.#end(slot, 'its team was removed')
    else if (slot.evictable && this.#isOutdated(slot)) void this.#end(slot, outdated)
    const staying = [...this.#slots.values()].filter(({ isEnding }) => !isEnding)
    const surplus = staying.length > this.maxProcesses ? toEvict(staying) : undefined
    if (surplus) void this.#end(surplus, `settings.maxProcesses is ${this.maxProcesses} now`)
  }

  async #evict(slot: Slot): Promise<void> {
    this.#parts.log.warn('pool full, the least recently used idle process makes room', { pair: pairText(slot.session) })
    await this.#end(slot, 'evicted: least recently used', 'idle')
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
