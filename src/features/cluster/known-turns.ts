import type { Log } from '../../base/lib/log.ts'
import type { RemoteWait } from '../../kernel/session/other-hosts.ts'
import type { LogPlace } from './led-conversation.ts'
import type { KnownOfTurn } from './letters.ts'
import type { BegunRow, ClusterBegunRows } from './rows/cluster-begun.ts'

export interface KnownTurnsParts {
  readonly log: Log
  readonly begunRows: Pick<ClusterBegunRows, 'of' | 'put' | 'remove'>
  /** The hosts that have the team with this name. */
  readonly hostsOf: (team: string) => readonly string[]
}

/** The state of a turn as reported by its host. */
export interface TakenThere extends RemoteWait {
  readonly begun?: LogPlace | undefined
}

/**
 * This host's records about its turns that hosts of a shared team answer; kept across restarts. If another host is
 * asked to continue a turn, it gets the records with the ask, and does not repeat what was already started.
 */
export class KnownTurns {
  readonly #parts: KnownTurnsParts
  readonly #known = new Map<string, BegunRow>()

  constructor(parts: KnownTurnsParts) {
    this.#parts = parts
  }

  /** What was known about the turn before this start. */
  load(turn: string): BegunRow | undefined {
    try {
      const row = this.#parts.begunRows.of(turn)
      if (row) this.#known.set(turn, row)
      return row
    } catch {
      return undefined
    }
  }

  /**
   * Records that the host has the turn. `place`: the place of the turn's last record in the log; undefined if nothing
   * new is known.
   */
  taken(turn: string, team: string, host: string, place: LogPlace | undefined): void {
    const at = place && { log: place.log, record: place.record }
    this.#change(turn, team, { host, waitsSince: null, ...at })
  }

  /**
   * Records that a host that is no longer asked had begun the turn. Ignored if anything is already known about the
   * turn.
   */
  hadBegun(turn: string, team: string, host: string, place: LogPlace): void {
    if (this.of(turn) === undefined) this.#change(turn, team, { host, log: place.log, record: place.record })
  }

  heard(turn: string, team: string, host: string): void {
    if (this.#known.get(turn)?.heard !== true) this.#change(turn, team, { host, heard: true })
  }

  /** Records that the turn waits for its host. Returns since when it has been waiting. */
  waits(turn: string, team: string, now: number): number {
    const since = this.#known.get(turn)?.waitsSince ?? now
    this.#change(turn, team, { waitsSince: since })
    return since
  }

  /** Undefined if no host is known to have begun the turn. */
  of(turn: string): KnownOfTurn | undefined {
    const row = this.#known.get(turn)
    if (row === undefined || (!row.heard && row.log === null)) return undefined
    const { host, log, record } = row
    return { host, ...(log !== null && record !== null && { place: { log, record } }) }
  }

  /** Called when the turn has ended. */
  forget(turn: string): void {
    if (!this.#known.delete(turn)) return
    try {
      this.#parts.begunRows.remove(turn)
    } catch {
      // The table forgets its oldest rows.
    }
  }

  #change(turn: string, team: string, what: Partial<BegunRow>): void {
    const { begunRows, hostsOf, log } = this.#parts
    const before = this.#known.get(turn)
    // If only one host has the team, no other host can begin the turn again.
    if (before === undefined && (hostsOf(team).length < 2 || what.host === undefined)) return
    const nothing = { turn, host: what.host!, log: null, record: null, heard: false, waitsSince: null }
    const row = { ...nothing, ...before, ...what }
    this.#known.set(turn, row)
    try {
      begunRows.put(row)
    } catch (error) {
      log.debug(`what is known about a turn on another host could not be stored: ${String(error)}`, { turnId: turn })
    }
  }
}
