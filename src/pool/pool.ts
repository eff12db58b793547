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
    if (!slot?.isWarm) return undefined
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
    const { queueTimeout } = config().settings
    const until = clock.elapsed() + queueTimeout
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
          await slot.changed()
          continue
        }
        waiter.join()
        if (waiter.isFirst && this.#slots.size < this.maxProcesses) return this.#start(session)
        const idle = waiter.isFirst ? toEvict(this.#slots.values()) : undefined
        if (idle) await this.#evict(idle)
        else if (!(await waiter.sleep(until - clock.elapsed(), signal))) {
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
    this.#line.wakeFirst()
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
    const slot = new Slot(session, this.#parts.clock.elapsed())
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

  #endOnceIdle(slot: Slot): void {
    const { teams, settings } = this.#parts.config()
    const idleTimeout = teams.get(slot.session.to)?.idleTimeout ?? settings.idleTimeout
    slot.takeBackIdleTimer = this.#parts.clock.after(idleTimeout, () => {
      if (slot.evictable) void this.#end(slot, `idle for ${idleTimeout} ms`, 'idle')
      // Something runs in its background.
      else this.#endOnceIdle(slot)
    })
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
