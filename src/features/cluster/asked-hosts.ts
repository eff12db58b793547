import type { Log } from '../../base/lib/log.ts'
import type { ClusterRows } from './rows/cluster.ts'

export interface AskedHostsParts {
  readonly log: Log
  readonly rows: Pick<ClusterRows, 'addAsked' | 'asked' | 'removeAsked'>
  /** The hosts that have the team with this name. */
  readonly hostsOf: (team: string) => readonly string[]
}

/**
 * The hosts that this host has asked to answer a turn; kept across restarts. If only one host has the team, the team's
 * name contains that host, and nothing is kept.
 */
export class AskedHosts {
  readonly #parts: AskedHostsParts
  readonly #kept = new Set<string>()

  constructor(parts: AskedHostsParts) {
    this.#parts = parts
  }

  /** The hosts that were asked before this start, the latest one last. Empty while the store cannot be read. */
  before(turn: string): readonly string[] {
    try {
      const asked = this.#parts.rows.asked(turn)
      if (asked.length > 0) this.#kept.add(turn)
      return asked
    } catch {
      return []
    }
  }

  keep(turn: string, team: string, host: string): void {
    const { rows, hostsOf, log } = this.#parts
    if (hostsOf(team).length < 2) return
    this.#kept.add(turn)
    try {
      rows.addAsked(turn, host)
    } catch (error) {
      log.debug(`which host was asked could not be stored: ${String(error)}`, { turnId: turn })
    }
  }

  /** Called when the turn has ended. */
  forget(turn: string): void {
    if (!this.#kept.delete(turn)) return
    try {
      this.#parts.rows.removeAsked(turn)
    } catch {
      // Harmless: the table forgets its oldest rows.
    }
  }
}
