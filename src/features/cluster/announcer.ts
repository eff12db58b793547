import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { irisVersion } from '../../base/protocol/version.ts'
import type { Config, TeamConfig } from '../../platform/config/config.ts'
import type { AccountLimits } from '../accounts/account-limits.ts'
import type { ClusterParts } from './cluster-parts.ts'
import { aboutEntry, firstWithKnown } from './host-entry.ts'
import type { HostEntry, HostLoad, Network, OfferedTeam } from './ports.ts'
import type { Seal } from './seal.ts'
import { signJson } from './signed-json.ts'

export interface AnnouncerParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly log: Log
  readonly load: () => HostLoad
  readonly accountLimits: Pick<AccountLimits, 'of'>
  /** How many other hosts are known. */
  readonly hosts: () => number
  /** Undefined while this host is alone. */
  readonly joined: () =>
    | (Pick<Network, 'directory' | 'isKeeper'> & { readonly seal: Seal; readonly self: string })
    | undefined
  /** The count of the next announcement. */
  readonly nextCount: () => number
}

/**
 * The least time between two announcements. It grows with the number of hosts, so that the cost for each host stays the
 * same.
 */
const announceMs = 1000
const announceMsForHost = 20
const intervalsMissed = 4
/** Long enough that a host which only lacks processor time for some seconds keeps its conversations. */
const minLeaseMs = 10_000

/** Announces this host to the others at regular intervals, until it ends or leaves. */
export class Announcer {
  readonly #parts: AnnouncerParts
  #isDrained = false
  #hasLeft = false
  #cancelTimer: (() => void) | undefined

  constructor(parts: AnnouncerParts) {
    this.#parts = parts
  }

  async begin(): Promise<void> {
    await this.announce()
    this.#again()
  }

  /** Announces this host now, because what it offers may have changed. */
  async announce(): Promise<void> {
    const { log, config, accountLimits } = this.#parts
    if (this.#hasLeft) return
    const teams = [...config().teams.values()].map((team) => ({
      ...offered(team),
      limited: accountLimits.of(team.name),
    }))
    await this.#say({ teams, ...(this.#isDrained && { drained: true }) }).catch((error: unknown) =>
      log.debug(`this host could not be announced: ${String(error)}`),
    )
  }

  async #say(what: Pick<HostEntry, 'teams' | 'drained' | 'left'>): Promise<void> {
    const { joined, load, nextCount } = this.#parts
    const to = joined()
    if (to === undefined) return
    const entry: HostEntry = {
      wire: firstWithKnown,
      version: irisVersion,
      key: to.seal.publicKey,
      load: load(),
      leaseMs: Math.max(minLeaseMs, this.#everyMs * intervalsMissed),
      ...(to.isKeeper() && { keeper: true }),
      ...what,
      count: nextCount(),
    }
    await to.directory.announce(signJson(JSON.stringify(entry), aboutEntry(to.self), to.seal))
  }

  get isDrained(): boolean {
    return this.#isDrained
  }

  /** Stops accepting new conversations from other hosts, or accepts them again. */
  drain(isDrained: boolean): void {
    this.#isDrained = isDrained
    void this.announce()
  }

  /**
   * Announces that this host leaves. Removing its entry would prove nothing, because anyone who reaches the servers can
   * do that.
   */
  async leave(): Promise<void> {
    this.#hasLeft = true
    this.end()
    await this.#say({ teams: [], left: true })
  }

  end(): void {
    this.#cancelTimer?.()
  }

  #again(): void {
    this.#cancelTimer = this.#parts.clock.machine.after(this.#everyMs, () => {
      void this.announce()
      this.#again()
    })
  }

  get #everyMs(): number {
    return Math.max(announceMs, this.#parts.hosts() * announceMsForHost)
  }
}

function offered({ name, description, color, askedBy, hosts }: TeamConfig): OfferedTeam {
  return {
    name,
    ...(description !== undefined && { description }),
    ...(color !== undefined && { color }),
    ...(askedBy && { askedBy }),
    ...(hosts && { hosts }),
  }
}

/** This host's load. */
export function loadOf({ sessions, pool, freeMiB }: Pick<ClusterParts, 'sessions' | 'pool' | 'freeMiB'>): HostLoad {
  const turns = [...sessions.all()].reduce((sum, { queue }) => sum + queue.length, 0)
  return { turns, processes: pool.holders().length, freeMiB: Math.round(freeMiB()) }
}
