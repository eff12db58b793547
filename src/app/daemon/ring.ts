import type { Domain } from '../../adapters/operations/call.ts'
import type { ControlHandler } from '../../claude/driver/control-handler.ts'
import type { Session } from '../../core/session/session.ts'
import { type HostParts, hostFor } from './control-handler.ts'

/**
 * The one ring in Iris: the pool starts processes, what they send up the pipe is a call of an operation, operations ask the
 * orchestrator, and that takes processes from the pool. The parts are built bottom up, so the pool is given this before
 * there are operations; `close` joins the ends, before the first process is started.
 */
export class Ring {
  #top: { readonly domain: Domain; readonly parts: HostParts } | undefined

  close(domain: Domain, parts: HostParts): void {
    this.#top = { domain, parts }
  }

  /** Everything that comes up the pipe of this start of the session's process. */
  hostFor(session: Session, startId: string): ControlHandler {
    if (this.#top === undefined) throw new Error(`a process of ${session.to} was started before Iris was composed`)
    const { domain, parts } = this.#top
    return hostFor(session, startId, domain, parts, parts.log.for(`process:${session.to}`))
  }
}
