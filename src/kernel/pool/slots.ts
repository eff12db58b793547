import type { PermissionLists } from '../../base/agent/permission-lists.ts'
import type { AgentProcess } from '../../base/agent/process.ts'
import type { StopManner } from '../../base/lib/program-end.ts'
import { pairText } from '../../base/protocol/pair.ts'
import type { Session } from '../session/session.ts'
import { isOutdated } from './carried-settings.ts'
import { type Expectation, toEvict, toShed, whyEvicted } from './eviction.ts'
import type { PoolParts } from './pool-parts.ts'
import { Slot } from './slot.ts'

export const outdated = 'its settings have changed'

/** The places of the pool. Knows which sessions have a place, and ends their processes. */
export class Slots {
  readonly #parts: PoolParts
  readonly #slots = new Map<Session, Slot>()
  readonly #onFree: () => void

  /** `onFree` is called when a place becomes free. */
  constructor(parts: PoolParts, onFree: () => void) {
    this.#parts = parts
    this.#onFree = onFree
  }

  get size(): number {
    return this.#slots.size
  }

  get maxProcesses(): number {
    return this.#parts.config().settings.maxProcesses
  }

  get hasFree(): boolean {
    return this.size < this.maxProcesses
  }

  /** The slot to evict next, if any. */
  get evictable(): Slot | undefined {
    return toEvict(this.#slots.values(), this.#parts.clock.elapsed(), this.#expected)
  }

  get #expected(): Expectation<Slot> | undefined {
    const usual = this.#parts.seams.usualTimes.inForce()
    if (usual === undefined) return undefined
    const [now, elapsed] = [this.#parts.clock.now(), this.#parts.clock.elapsed()]
    return ({ session, lastUsedAt }) => usual.msPerMessage(session, now, elapsed - lastUsedAt)
  }

  of(session: Session): Slot | undefined {
    return this.#slots.get(session)
  }

  all(): Slot[] {
    return [...this.#slots.values()]
  }

  /** Takes a place for a session whose process is about to be started. */
  take(session: Session): Slot {
    const slot = new Slot(session, this.#parts.config(), this.#parts.clock.elapsed())
    this.#slots.set(session, slot)
    this.#parts.mirror(session, 'spawning')
    return slot
  }

  free(slot: Slot): void {
    this.#slots.delete(slot.session)
    slot.free()
    this.#parts.mirror(slot.session, 'stopped')
    this.#onFree()
  }

  /** Ends the slot's process. Resolves after the process's exit. */
  async end(slot: Slot, why: string, manner?: StopManner): Promise<void> {
    slot.retire()
    const { session } = slot
    while (slot.process === undefined && this.#slots.get(session) === slot) await slot.changed()
    if (slot.process === undefined) return
    const { pid, diedByItself: died } = slot.process
    if (slot.process.state !== 'stopped') this.#parts.mirror(session, 'terminating')
    await slot.process.stop(manner)
    if (this.#slots.get(session) !== slot) return
    this.#parts.publish({ type: 'process-terminated', teamName: session.to, pid, why, died, ...session.ids })
    this.free(slot)
  }

  /**
   * Hands the current rules to the process. A process that does not accept a change may allow too much, so it is ended
   * once it is idle. A process that accepts no rules at its start asks about each tool instead.
   */
  async handRules(slot: Slot): Promise<void> {
    const { session, process } = slot
    const why = await process?.rules.hand(this.#permissionLists(session, process))
    if (why === undefined || slot.isEnding || process?.state === 'stopped') return
    this.#parts.log.warn(`Claude Code does not accept the team's rules, and asks about each tool: ${why}`, {
      pair: pairText(session),
    })
    this.endUnfit(slot)
  }

  /** If the store fails, no rule allows anything, so Claude Code asks about each tool. Denied tools remain denied. */
  #permissionLists(session: Session, { rules }: AgentProcess): PermissionLists {
    try {
      return this.#parts.seams.rules.listsFor(session)
    } catch (error) {
      this.#parts.log.error(`rules cannot be read: ${String(error)}`, { pair: pairText(session) })
      return rules.strictest
    }
  }

  /**
   * The process of a reserved slot. Ends the process and resolves to undefined if the team's path no longer leads to
   * the directory in which the process started, or if a settings file would replace the process's login. If
   * `TeamDirectories.of` rejects, releases the slot and rejects with the same error.
   */
  async unlessMoved(slot: Slot): Promise<AgentProcess | undefined> {
    let why = 'the path of its team leads to another directory now'
    try {
      const directory = await this.#parts.directoryOf(slot.session.to)
      const isThere = directory === undefined || directory === slot.directory
      if (isThere && (await this.#parts.loginHolds(slot.session.to))) return slot.process
      why = isThere ? 'a settings file would take the login of its account' : why
    } catch (error) {
      slot.release(this.#parts.clock.elapsed())
      throw error
    }
    await this.end(slot, why)
    return undefined
  }

  async evict(slot: Slot): Promise<void> {
    const kept = this.#expected && toEvict(this.#slots.values(), this.#parts.clock.elapsed())
    if (kept === undefined || kept === slot) {
      await this.end(slot, `evicted: ${whyEvicted(slot, this.#slots.values())}`, 'idle')
      return
    }
    const { from, to, thread } = slot.session
    this.#parts.publish({ type: 'process-kept', instead: { from, to, thread }, ...kept.session.ids })
    await this.end(slot, `evicted: its next message is expected later than that of ${pairText(kept.session)}`, 'idle')
  }

  endOnceIdle(slot: Slot, idleSince = slot.lastUsedAt): void {
    const { clock, config } = this.#parts
    const { teams, settings } = config()
    const idleTimeout = teams.get(slot.session.to)?.idleTimeout ?? settings.idleTimeout
    slot.cancelIdleTimer()
    slot.cancelIdleTimer = clock.after(Math.max(0, idleSince + idleTimeout - clock.elapsed()), () => {
      if (slot.evictable) void this.end(slot, `idle for ${idleTimeout} ms`, 'idle')
      // The process is in use or has background work.
      else this.endOnceIdle(slot, clock.elapsed())
    })
  }

  /**
   * Ends the slot's process if it is idle and no longer matches the configuration. If there are too many processes,
   * ends an idle one.
   */
  endUnfit(slot: Slot): void {
    const { teams } = this.#parts.config()
    const { session } = slot
    if (slot.isTaken) return
    if (!teams.has(session.to) && session.waiting === 0) void this.end(slot, 'its team was removed')
    else if (slot.evictable && isOutdated(slot, this.#parts)) void this.end(slot, outdated)
    const surplus = toShed(this.#slots.values(), this.maxProcesses, this.#parts.clock.elapsed(), this.#expected)
    if (surplus) void this.end(surplus, `settings.maxProcesses is ${this.maxProcesses} now`)
  }

  /** Probes every idle process and ends those that do not answer in time. Resolves to how many were ended. */
  async endHung(patienceMs: number): Promise<number> {
    const ended = this.all()
      .filter(({ evictable }) => evictable)
      .map(async (slot) => {
        const { lastUsedAt } = slot
        if (await slot.process!.probe(patienceMs)) return false
        // By now a turn is using the process, and that turn watches for silence.
        if (!slot.evictable || slot.lastUsedAt !== lastUsedAt) return false
        await this.end(slot, `it hung: no answer within ${patienceMs} ms`, 'now')
        return true
      })
    return (await Promise.all(ended)).filter(Boolean).length
  }
}
