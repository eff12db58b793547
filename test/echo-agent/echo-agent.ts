import type { Agent, AgentEvidence } from '../../src/base/agent/agent.ts'
import type { ControlHandler } from '../../src/base/agent/control-handler.ts'
import type { Clock } from '../../src/base/lib/clock.ts'
import type { Session } from '../../src/kernel/session/session.ts'
import type { Life } from '../property/time.ts'
import { type Entry, recordOf } from './conversation.ts'
import { EchoProcess } from './echo-process.ts'

/** A moment in a message: on its way to the agent; taken; each tool begun, and returned; the answer written down. */
export type Moment = 'given' | 'taken' | 'begun' | 'returned' | 'answered'

/** What a daemon gives the agent that it starts. */
export interface Starter {
  /** Of the daemon: nothing reaches one that has ended. */
  readonly life: Life
  readonly hostFor: (session: Session) => ControlHandler
}

/**
 * A double of an agent, without a process: it answers each message with that message. Its conversations are lists, which
 * outlive its processes and the daemon, and of which a crash may take any end.
 */
export class EchoAgent {
  /** By session id. */
  readonly conversations = new Map<string, Entry[]>()
  /** Every message that a process took, whatever is left of it in a conversation. */
  readonly taken: { readonly uuid: string; readonly text: string }[] = []
  /** The names of the tools that ran. */
  readonly effects: string[] = []
  readonly processes = new Set<EchoProcess>()
  readonly clock: Clock
  /** The tools that the agent uses for a message, by its text. */
  toolsFor: (text: string) => readonly string[] = () => []
  #stopsAt: { readonly moment: Moment; count: number } | undefined
  #held: PromiseWithResolvers<void> | undefined
  #pids = 100

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** The agent as one daemon has it. */
  of(starter: Starter): Agent<Session> {
    return {
      launch: async (session) => this.#start(session, starter),
      takeUp: async () => undefined,
      evidence: this.#evidence,
    }
  }

  /** Goes no further than the `count`-th such moment from now, until `resume`. */
  stopAt(moment: Moment, count = 1): void {
    this.#stopsAt = { moment, count }
  }

  /** It stands still at the moment of `stopAt`. */
  get isHeld(): boolean {
    return this.#held !== undefined
  }

  resume(): void {
    this.#held?.resolve()
    this.#held = undefined
  }

  /** Everything that runs dies at once, as in a crash of the machine. */
  killAll(): void {
    for (const process of this.processes) process.kill()
    this.#held = undefined
    this.#stopsAt = undefined
  }

  /** What a crash leaves of a conversation: its first entries. */
  cut(sessionId: string, length: number): void {
    this.entries(sessionId).splice(length)
  }

  entries(sessionId: string): Entry[] {
    const known = this.conversations.get(sessionId)
    if (known !== undefined) return known
    const entries: Entry[] = []
    this.conversations.set(sessionId, entries)
    return entries
  }

  /** Called by its processes. */
  async reached(moment: Moment): Promise<void> {
    if (this.#stopsAt?.moment !== moment || --this.#stopsAt.count > 0) return
    this.#stopsAt = undefined
    this.#held = Promise.withResolvers()
    await this.#held.promise
  }

  #start(session: Session, { life, hostFor }: Starter): EchoProcess {
    this.#pids += 1
    const process: EchoProcess = new EchoProcess({
      agent: this,
      sessionId: session.sessionId,
      pid: this.#pids,
      host: hostFor(session),
      isHeard: () => !life.hasEnded,
      onGone: () => this.processes.delete(process),
    })
    this.processes.add(process)
    return process
  }

  readonly #evidence: AgentEvidence = {
    delivery: async ({ sessionId }, sought) => recordOf(this.entries(sessionId), sought),
    holdsMessage: async ({ sessionId }, deliveries) =>
      this.entries(sessionId).some((entry) => entry.kind === 'message' && deliveries.has(entry.uuid)),
  }
}
