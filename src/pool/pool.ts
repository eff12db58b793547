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

export interface PoolParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly log: Log
  readonly publish: (event: IrisEvent) => void
  /** Starts the session's process and waits until it is ready. Throws `spawn_failed`, `spawn_timeout` and the like. */
  readonly launch: (session: Session) => Promise<ClaudeProcess>
  readonly mirror: (session: Session, state: ProcessState) => void
}

interface Waiter {
  readonly session: Session
  readonly go: () => void
}

/** All slots stayed busy for the whole of the queue time. `holders` are the pairs that have them. */
export class NoFreeProcess extends Error {
  readonly holders: readonly string[]

  constructor(holders: readonly string[], waitedMs: number) {
    super(`All ${holders.length} processes stayed busy for ${waitedMs} ms: ${holders.join(', ')}.`)
    this.holders = holders
  }
}

/** Which sessions have a process. At most `maxProcesses`; one a session; a busy or reserved one is never ended for room. */
export class Pool {
  readonly #parts: PoolParts
  readonly #slots = new Map<Session, Slot>()
  readonly #waiters: Waiter[] = []
  #closed = false

  constructor(parts: PoolParts) {
    this.#parts = parts
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
    const began = this.#parts.clock.elapsed()
    for (;;) {
      signal.throwIfAborted()
      if (this.#closed) throw new IrisError('shutting_down', 'Iris is stopping.', 'Ask again when it runs.')
      const warm = this.takeWarm(session)
      if (warm) return warm
      const slot = this.#slots.get(session)
      if (slot) await slot.changed()
      else if (this.#slots.size < this.maxProcesses) return this.#start(session)
      else if (!(await this.#evict())) await this.#wait(session, signal, began)
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
    const { teams, settings } = this.#parts.config()
    const idleTimeout = teams.get(session.to)?.idleTimeout ?? settings.idleTimeout
    slot.takeBackIdleTimer = this.#parts.clock.after(idleTimeout, () => {
      if (slot.evictable) void this.#end(slot, `idle for ${idleTimeout} ms`, 'idle')
    })
    this.#letNextLook()
  }

  /** Ends the session's process; resolves when it has gone, with whether there was one. */
  async stop(session: Session, why: string, manner?: StopManner): Promise<boolean> {
    const slot = this.#slots.get(session)
    if (!slot) return false
    await this.#end(slot, why, manner)
    return true
  }

  /** Ends them all; from now on none is started. */
  async close(): Promise<void> {
    this.#closed = true
    for (const waiter of [...this.#waiters]) waiter.go()
    await Promise.all([...this.#slots.values()].map((slot) => this.#end(slot, 'Iris is stopping')))
  }

  async #start(session: Session): Promise<ClaudeProcess> {
    const slot = new Slot(session, this.#parts.clock.elapsed())
    this.#slots.set(session, slot)
    this.#parts.mirror(session, 'spawning')
    try {
      slot.process = await this.#parts.launch(session)
    } catch (error) {
      this.#parts.publish({ type: 'process-error', teamName: session.to, error: String(error), ...session.ids })
      this.#free(slot)
      throw error
    }
    this.#watch(slot, slot.process)
    return slot.process
  }

  #watch(slot: Slot, process: ClaudeProcess): void {
    const { session } = slot
    this.#parts.publish({ type: 'process-spawned', teamName: session.to, pid: process.pid, ...session.ids })
    this.#parts.mirror(session, 'idle')
    // What ran in the background is done: the process may have become one that can make room.
    process.unasked$.subscribe(() => this.#letNextLook())
    void process.exited.then(({ code, signal }) => {
      this.#parts.publish({ type: 'process-exited', teamName: session.to, code, signal, ...session.ids })
      // Whoever holds it sees that, and ends what it left behind; if nobody does, it is done here.
      if (!slot.isReserved) void this.#end(slot, 'it exited', 'now')
    })
  }

  async #evict(): Promise<boolean> {
    const slot = toEvict(this.#slots.values())
    if (!slot) return false
    this.#parts.log.warn('pool full, the least recently used idle process makes room', { pair: pairText(slot.session) })
    await this.#end(slot, 'evicted: least recently used', 'idle')
    return true
  }

  async #end(slot: Slot, why: string, manner?: StopManner): Promise<void> {
    slot.reserve()
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
    this.#letNextLook()
  }

  #letNextLook(): void {
    this.#waiters[0]?.go()
  }

  #wait(session: Session, signal: AbortSignal, began: number): Promise<void> {
    const { clock, config } = this.#parts
    const { queueTimeout } = config().settings
    return new Promise((resolve, reject) => {
      const done = (): void => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
        takeBack()
        signal.removeEventListener('abort', go)
      }
      const go = (): void => {
        done()
        resolve()
      }
      const waiter: Waiter = { session, go }
      const left = Math.max(0, began + queueTimeout - clock.elapsed())
      const takeBack = clock.after(left, () => {
        done()
        reject(new NoFreeProcess(this.holders().map(pairText), queueTimeout))
      })
      this.#waiters.push(waiter)
      signal.addEventListener('abort', go)
    })
  }
}
