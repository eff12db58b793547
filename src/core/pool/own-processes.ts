import type { Processes } from '../../platform/machine/machine.ts'
import type { Session } from '../session/session.ts'

/** One start of a session's process, by the id that its tag ends with. */
export interface ProcessStart {
  readonly session: Session
  readonly startId: string
}

/** The processes of this Iris by their process ids, which mean something on one machine each. */
export class OwnProcesses {
  readonly #machines = new Map<Processes, Map<number, ProcessStart>>()

  on(processes: Processes): Map<number, ProcessStart> {
    const known = this.#machines.get(processes) ?? new Map<number, ProcessStart>()
    this.#machines.set(processes, known)
    return known
  }
}
