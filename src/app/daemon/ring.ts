import type { ControlHandler } from '../../claude/driver/control-handler.ts'
import type { Domain } from '../../kernel/call/call.ts'
import type { Session } from '../../kernel/session/session.ts'
import { type HostParts, hostFor } from './control-handler.ts'

/**
 * The one cycle in Iris: the pool starts processes, their pipes call operations, operations ask the orchestrator, and
 * that takes processes from the pool. The parts are built bottom up, so the pool gets this object before there are
 * operations. `close` closes the cycle before the first process starts.
 */
export class Ring {
  #top: { readonly domain: Domain; readonly parts: HostParts } | undefined

  close(domain: Domain, parts: HostParts): void {
    this.#top = { domain, parts }
  }

  /** The control handler for this start of the session's process. */
  hostFor(session: Session, startId: string): ControlHandler {
    if (this.#top === undefined) throw new Error(`a process of ${session.to} was started before Iris was composed`)
    const { domain, parts } = this.#top
    return hostFor(session, startId, domain, parts, parts.log.for(`process:${session.to}`))
  }
}
