import type { AgentProcess } from '../../base/agent/process.ts'
import { type Clock, every } from '../../base/lib/clock.ts'
import { deferred } from '../../base/lib/deferred.ts'
import type { Log } from '../../base/lib/log.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import { Registry, type RegistryEntry } from '../../claude/driver/registry.ts'
import { findTranscript } from '../../claude/driver/transcript.ts'
import { leavesOut } from '../../claude/driver/transcript-chain.ts'
import { originOf } from '../../claude/driver/transcript-fork.ts'
import type { OwnProcesses } from '../../kernel/pool/own-processes.ts'
import type { Holder, OpenElsewhere } from '../../kernel/session/open-elsewhere.ts'
import { type Session, takenOver } from '../../kernel/session/session.ts'
import { heldText, leaves } from '../../kernel/session/session-refusals.ts'
import type { Sessions } from '../../kernel/session/sessions.ts'
import type { Machine, Machines, Processes } from '../../platform/machine/machine.ts'

export interface TakeOversParts {
  readonly clock: Clock
  readonly log: Log
  readonly sessions: Sessions
  readonly publish: (event: IrisEvent) => void
  readonly machines: Machines
  /** The processes of this Iris, and the tag that everything started by them carries. */
  readonly own: OwnProcesses
  readonly irisTag: string
  /** Ends Iris's own process of the session, which does not see what the person says. Settles when it has ended. */
  readonly letGo: (session: Session) => Promise<unknown>
}

/** A living claude that Iris did not start, and the conversation it opened. */
interface Hold {
  readonly registry: Registry
  readonly entry: RegistryEntry
  /** When Iris first saw it there, milliseconds since the epoch. */
  readonly since: number
  /** Its current session id. After /clear or /branch the id differs; for Iris it is the same conversation. */
  current: string
  /** Settles when Iris's own process of the session has ended. */
  letGo: Promise<unknown>
  leaving: boolean
  looksAgain: boolean
}

/** A killed process leaves its registry file, so Iris checks this often while a turn waits for the process to end. */
const lookAgainMs = 1000
/** A process deletes its registry file shortly before it exits. */
const endingMs = 100

/** The error for a message that waited too long, because a person had the conversation open all the time. */
class SessionHeld extends IrisError {
  constructor(holder: Holder) {
    super(
      'session_held',
      `${heldText(holder)} settings.queueTimeout is over.`,
      `${leaves(holder)}, use another thread, or session_fork.`,
    )
  }
}

/**
 * Tracks the conversations that a person has open in their own claude. Two processes on one conversation do not notice
 * each other, so Iris's process ends. The CLI's registry, which Iris watches, lists the processes; queries are answered
 * from memory.
 */
export class TakeOvers implements OpenElsewhere {
  readonly #parts: TakeOversParts
  /** The registries, by machine and configuration directory. */
  readonly #registries = new Map<Processes, Map<string, Registry>>()
  readonly #holds = new Set<Hold>()
  readonly #waiting = new Set<() => void>()
  #work: Promise<void> = Promise.resolve()
  /** Work in progress on conversations that people have left. */
  readonly #followed = new Set<Promise<void>>()
  #closed = false

  constructor(parts: TakeOversParts) {
    this.#parts = parts
  }

  /** Reads the registry in the team's configuration directory, and watches it from then on. */
  async refresh(team: string): Promise<void> {
    const registry = this.#registryOf(this.#parts.machines.of(team))
    await registry.watch()
    const known = [...this.#holds].filter((hold) => hold.registry === registry)
    for (const pid of new Set([...(await registry.pids()), ...known.map(({ entry }) => entry.pid)])) {
      this.#examine(registry, pid)
    }
    await this.#work
  }

  holderOf({ sessionId }: Pick<Session, 'sessionId'>): Holder | undefined {
    for (const { entry, since } of this.#holds)
      if (entry.sessionId === sessionId) return { pid: entry.pid, since, job: entry.job }
    return undefined
  }

  async unlessHeld(session: Session, launch: () => Promise<AgentProcess>): Promise<AgentProcess | undefined> {
    await this.refresh(session.to)
    if (this.holderOf(session) !== undefined) return undefined
    const process = await launch().catch(async (error: unknown): Promise<undefined> => {
      await this.refresh(session.to)
      // Claude Code does not resume a conversation in a background session, which may have started meanwhile.
      if (this.holderOf(session) === undefined) throw error
      return undefined
    })
    if (process === undefined) return undefined
    await this.refresh(session.to)
    if (this.holderOf(session) === undefined) return process
    await process.stop('now')
    return undefined
  }

  async whenLeft(session: Session, ms: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts
    const until = clock.elapsed() + ms
    while (this.holderOf(session) !== undefined && !signal.aborted && !this.#closed) {
      await this.#change(session, until - clock.elapsed(), signal)
    }
  }

  async #change(session: Session, ms: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts
    const changed = deferred<boolean>()
    const wake = (): void => changed.resolve(true)
    const cancelTimer = clock.after(ms, () => changed.resolve(false))
    const stopLooking = every(clock.machine, lookAgainMs, () => this.#lookAgain())
    this.#waiting.add(wake)
    signal.addEventListener('abort', wake)
    this.#lookAgain()
    const hasChanged = await changed.promise
    cancelTimer()
    stopLooking()
    this.#waiting.delete(wake)
    signal.removeEventListener('abort', wake)
    const holder = this.holderOf(session)
    if (!hasChanged && holder !== undefined) throw new SessionHeld(holder)
  }

  close(): void {
    this.#closed = true
    for (const registries of this.#registries.values()) for (const registry of registries.values()) registry.close()
    this.#wake()
  }

  /** Closes, and resolves when all work is done: after that nothing here uses the store. */
  async end(): Promise<void> {
    this.close()
    await Promise.all([this.#work, ...this.#followed])
  }

  #registryOf({ claude, processes }: Machine): Registry {
    const registries = this.#registries.get(processes) ?? new Map<string, Registry>()
    this.#registries.set(processes, registries)
    const known = registries.get(claude.directory)
    if (known) return known
    const registry: Registry = new Registry(claude, processes, (pid) => this.#examine(registry, pid))
    registries.set(claude.directory, registry)
    return registry
  }

  #holdOf({ processes }: Registry, pid: number): Hold | undefined {
    return [...this.#holds].find((hold) => hold.entry.pid === pid && hold.registry.processes === processes)
  }

  #lookAgain(): void {
    for (const { registry, entry } of this.#holds) this.#examine(registry, entry.pid)
  }

  /** Examines one process at a time, so that each step sees the results of the one before. */
  #examine(registry: Registry, pid: number): void {
    // Iris's own processes write their files at every turn; this check is all they cost.
    if (this.#closed || this.#parts.own.on(registry.processes).has(pid)) return
    this.#work = this.#work
      .then(() => this.#see(registry, pid))
      .catch((error: unknown) =>
        this.#parts.log.warn('whether a person has a conversation open is not known', { pid, error: String(error) }),
      )
  }

  async #see(registry: Registry, pid: number): Promise<void> {
    const entry = await registry.entry(pid)
    const { processes } = registry
    const known = this.#holdOf(registry, pid)
    const start = (known?.entry ?? entry)?.procStart
    const isAlive = (known ?? entry) !== undefined && (await processes.lives(pid, start))
    const hold = this.#holdOf(registry, pid)
    if (this.#closed || hold?.leaving === true) return
    if (hold !== known) this.#examine(registry, pid)
    else if (hold !== undefined && !isAlive) this.#leave(hold)
    else if (hold !== undefined && entry === undefined) this.#seeLater(hold)
    else if (entry === undefined || !isAlive) return
    else if (hold === undefined) {
      if (!(await processes.isTagged(pid, this.#parts.irisTag))) this.#come(registry, entry)
    } else if (entry.sessionId !== hold.current) await this.#moveOn(hold, entry)
  }

  #seeLater(hold: Hold): void {
    if (hold.looksAgain) return
    hold.looksAgain = true
    this.#parts.clock.machine.after(endingMs, () => {
      hold.looksAgain = false
      this.#examine(hold.registry, hold.entry.pid)
    })
  }

  #come(registry: Registry, entry: RegistryEntry): void {
    const session = this.#parts.sessions.openBySessionId(entry.sessionId)
    const hold: Hold = {
      registry,
      entry,
      since: this.#parts.clock.now(),
      current: entry.sessionId,
      letGo: Promise.resolve(),
      leaving: false,
      looksAgain: false,
    }
    this.#holds.add(hold)
    if (session === undefined) return
    this.#parts.publish({ type: 'session-held', pid: entry.pid, as: entry.sessionId, ...session.ids })
    hold.letGo = this.#parts.letGo(session)
    this.#wake()
  }

  /** After /clear and /branch the conversation continues under another id; after /resume it is another conversation. */
  async #moveOn(hold: Hold, entry: RegistryEntry): Promise<void> {
    const { sessions, publish } = this.#parts
    const session = sessions.openBySessionId(hold.entry.sessionId)
    if (session !== undefined && sessions.bySessionId(entry.sessionId) === undefined) {
      const transcript = await findTranscript(hold.registry.claude, entry.sessionId)
      // After /clear there is no transcript at first, then one without a message.
      const origin = transcript && (await originOf(transcript, hold.current, entry.startedAt))
      if (origin !== 'elsewhere') {
        hold.current = entry.sessionId
        publish({ type: 'session-held', pid: entry.pid, as: entry.sessionId, ...session.ids })
        return
      }
    }
    this.#leave(hold, () => {
      this.#come(hold.registry, entry)
      // The process may have moved to yet another conversation meanwhile.
      this.#examine(hold.registry, entry.pid)
    })
  }

  #leave(hold: Hold, then = (): void => {}): void {
    hold.leaving = true
    const { sessions, publish, log } = this.#parts
    const { entry, current } = hold
    const followed = this.#follow(hold).catch((error: unknown) => {
      log.error('Iris lost track of a conversation that a person continued', { pid: entry.pid, error: String(error) })
    })
    this.#followed.add(followed)
    void followed.then(() => {
      this.#followed.delete(followed)
      if (this.#closed) return
      this.#holds.delete(hold)
      const session = sessions.openBySessionId(current) ?? sessions.openBySessionId(entry.sessionId)
      if (session) publish({ type: 'session-released', pid: entry.pid, ...session.ids })
      then()
      this.#wake()
    })
  }

  /** Adopts what the person said, also under another id, into Iris's conversation. */
  async #follow({ registry, entry, current, letGo }: Hold): Promise<void> {
    const { sessions } = this.#parts
    const transcript = await findTranscript(registry.claude, current)
    // A turn that ran when the person came ends in the conversation where it began.
    await letGo
    const session = sessions.openBySessionId(entry.sessionId)
    if (transcript === undefined || session === undefined || this.#closed) return
    const { lastAnsweredDelivery } = session.row
    if (current !== entry.sessionId) {
      // A conversation without a message cannot be resumed.
      if ((await originOf(transcript, entry.sessionId, entry.startedAt)) === 'nothing said' || this.#closed) return
      sessions.replace(session, takenOver(entry.sessionId, current), 'taken_over', current)
    } else if (lastAnsweredDelivery !== null && (await leavesOut(transcript, lastAnsweredDelivery)) && !this.#closed) {
      session.lostItsLastAnswer()
    }
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake()
  }
}
