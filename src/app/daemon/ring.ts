import type { ControlHandler } from '../../base/agent/control-handler.ts'
import type { Session } from '../../kernel/session/session.ts'
import { type CalledParts, type HostParts, hostFor } from './control-handler.ts'

/**
 * The one cycle in Iris: the pool starts processes, their pipes call operations, operations ask the orchestrator, and
 * that takes processes from the pool. The parts are built bottom up, so the pool gets this object before there are
 * operations. `close` closes the cycle before the first process starts.
 */
export class Ring {
  #top: { readonly called: CalledParts; readonly parts: HostParts } | undefined

  close(called: CalledParts, parts: HostParts): void {
    this.#top = { called, parts }
  }

  /** The control handler for this start of the session's process. */
  hostFor(session: Session, startId: string): ControlHandler {
    if (this.#top === undefined) throw new Error(`a process of ${session.to} was started before Iris was composed`)
    const { called, parts } = this.#top
    return hostFor(session, startId, called, parts, parts.log.for(`process:${session.to}`))
  }
}
