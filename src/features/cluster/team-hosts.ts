import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import type { ClusterRows } from './rows/cluster.ts'

export interface TeamHostsParts {
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly rows: Pick<ClusterRows, 'members' | 'addMember'>
  readonly publish: (event: IrisEvent) => void
}

const newForMs = 7 * 86_400_000

/**
 * The hosts that share a team. Each host is recorded in a row, an event and an audit entry before it gets its first
 * message.
 */
export class TeamHosts {
  readonly #parts: TeamHostsParts
  /** The time since when a host shares a team, by the team's full name and the host. */
  readonly #since: Map<string, number>

  constructor(parts: TeamHostsParts) {
    this.#parts = parts
    this.#since = new Map(parts.rows.members().map(({ team, host, since }) => [`${team} ${host}`, since]))
  }

  /** Returns false if the host cannot be recorded now; it then gets no messages for this team. */
  admit(team: string, host: string): boolean {
    const { clock, log, rows, publish } = this.#parts
    if (this.#since.has(`${team} ${host}`)) return true
    const since = clock.now()
    try {
      rows.addMember({ team, host, since })
    } catch (error) {
      log.warn(`${host} gets no messages for ${team}, because it could not be recorded: ${String(error)}`)
      return false
    }
    this.#since.set(`${team} ${host}`, since)
    publish({ type: 'host-joined-team', team, host })
    return true
  }

  /** The full names of the teams that this host began to share within the last week. */
  newOf(host: string): readonly string[] {
    const since = this.#parts.clock.now() - newForMs
    return [...this.#since].flatMap(([key, at]) => (key.endsWith(` ${host}`) && at > since ? [key.split(' ')[0]!] : []))
  }

  /** Also forgets the teams whose full names contain the host. */
  forget(host: string): void {
    for (const key of this.#since.keys())
      if (key.endsWith(` ${host}`) || key.includes(`@${host} `)) this.#since.delete(key)
  }
}
