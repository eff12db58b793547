import type { Processes } from '../../platform/machine/machine.ts'
import type { Session } from '../session/session.ts'

/** A start of a session's process. `startId` is part of its tag. */
export interface ProcessStart {
  readonly session: Session
  readonly startId: string
}

/** The processes of this Iris on each machine, by pid. */
export class OwnProcesses {
  readonly #machines = new Map<Processes, Map<number, ProcessStart>>()

  on(processes: Processes): Map<number, ProcessStart> {
    const known = this.#machines.get(processes) ?? new Map<number, ProcessStart>()
    this.#machines.set(processes, known)
    return known
  }
}
