import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { irisVersion } from '../../base/protocol/version.ts'
import type { Config, TeamConfig } from '../../platform/config/config.ts'
import type { AccountLimits } from '../pool/account-limits.ts'
import { wireVersion } from './letters.ts'
import type { Directory, HostLoad, OfferedTeam } from './ports.ts'

export interface AnnouncerParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly log: Log
  readonly load: () => HostLoad
  readonly accountLimits: Pick<AccountLimits, 'of'>
  /** How many other hosts are known. */
  readonly hosts: () => number
  /** Undefined while this host is alone. */
  readonly joined: () => { readonly directory: Directory; readonly publicKey: string } | undefined
}

/** The least time between two announcements. With more hosts it grows, so that their number costs each one the same. */
const announceMs = 1000
const announceMsForHost = 20
const intervalsMissed = 4
/** A host that is only starved of processor for some seconds keeps its conversations. */
const leastLeaseMs = 10_000

/** Announces this host to the others, again and again, until it ends or leaves. */
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

  /** What this host offers may have changed. */
  async announce(): Promise<void> {
    const { joined, log, load, config, accountLimits } = this.#parts
    const to = joined()
    if (to === undefined || this.#hasLeft) return
    const entry = {
      ...{ wire: wireVersion, version: irisVersion, key: to.publicKey, load: load() },
      teams: [...config().teams.values()].map((team) => ({ ...offered(team), limited: accountLimits.of(team.name) })),
      leaseMs: Math.max(leastLeaseMs, this.#everyMs * intervalsMissed),
      ...(this.#isDrained && { drained: true }),
    }
    await to.directory
      .announce(entry)
      .catch((error: unknown) => log.debug(`this host could not be announced: ${String(error)}`))
  }

  get isDrained(): boolean {
    return this.#isDrained
  }

  /** From now on this host takes no new conversations of other hosts, or does again. */
  drain(isDrained: boolean): void {
    this.#isDrained = isDrained
    void this.announce()
  }

  async leave(): Promise<void> {
    this.#hasLeft = true
    this.end()
    await this.#parts.joined()?.directory.withdraw()
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
