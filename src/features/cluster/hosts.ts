import type { Clock } from '../../base/lib/clock.ts'
import { nearest } from '../../base/lib/nearest.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Limited } from '../../base/protocol/limit.ts'
import type { Config } from '../../platform/config/config.ts'
import { DirectoryRoom, namedHosts } from './directory-room.ts'
import { firstWithKnown, hostEntryOf } from './host-entry.ts'
import { moreLoad } from './host-load.ts'
import { nameOf, partsOf } from './host-names.ts'
import { type KnownHost, lasting } from './known-host.ts'
import type { HostEntry, OfferedTeam } from './ports.ts'
import type { Refusals } from './refusals.ts'
import type { ClusterHostRow, ClusterRows } from './rows/cluster.ts'
import { TeamHosts, type TeamHostsParts } from './team-hosts.ts'

export interface HostsParts extends TeamHostsParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly rows: ClusterRows
  readonly refusals: Pick<Refusals, 'add'>
}

/** How often a host's announcement is stored if only its count is new. */
const keepEveryMs = 60_000

/**
 * The other hosts: who they are, what they offer, and which of them are awake. Iris remembers hosts while they are
 * asleep.
 */
export class Hosts {
  readonly #parts: HostsParts
  readonly #teamHosts: TeamHosts
  readonly #known = new Map<string, KnownHost>()
  readonly #room: DirectoryRoom
  /** When this host last began to receive announcements, in the clock's `elapsed` time. */
  #connectedAt = -Infinity

  constructor(parts: HostsParts) {
    this.#parts = parts
    this.#teamHosts = new TeamHosts(parts)
    this.#room = new DirectoryRoom(parts)
    for (const { name, key, entry, seenAt } of this.#fromStore()) {
      const said = hostEntryOf(entry)
      const announced = said && this.#room.fit(name, said)
      if (announced === undefined) continue
      const isStranger = announced.key !== key
      this.#known.set(name, { name, entry: announced, key, isStranger, seenAt, heardAt: undefined, keptAt: undefined })
    }
  }

  /**
   * Handles a host's announcement. The lease counts from the announcement's arrival, because hosts' clocks differ. An
   * announcement that was seen before is ignored, because it may have been replayed. Returns whether the announcement
   * contains anything new.
   */
  seen(name: string, said: HostEntry): boolean {
    const { clock, rows } = this.#parts
    if (said.count !== undefined && said.count <= this.#lastCount(name)) return false
    const entry = this.#room.fit(name, said)
    if (entry === undefined) return false
    const before = this.#known.get(name)
    const row = rows.hostKey(name)
    const elapsed = clock.machine.elapsed()
    // An announcement that only renews the lease is seldom stored, because a write for each one would cost too much.
    const isSame = before?.heardAt !== undefined && !before.isStranger && lasting(before.entry) === lasting(entry)
    const wasKeptLately = isSame && elapsed - (before.keptAt ?? -Infinity) < keepEveryMs
    const times = { seenAt: clock.now(), heardAt: entry.left ? undefined : elapsed }
    const host = { name, entry, key: row?.key ?? entry.key, isStranger: false, ...times, keptAt: before?.keptAt }
    if (!wasKeptLately) this.#keep(host)
    this.#known.set(name, wasKeptLately ? host : { ...host, keptAt: elapsed })
    if (!isSame) this.#admitHosts(host)
    return !isSame
  }

  /** Whether a team of config.yaml names this host. */
  isNamed(name: string): boolean {
    return namedHosts(this.#parts.config()).has(name)
  }

  /**
   * The stored hosts, the one seen longest ago first. If someone flooded this host with invented names, those names
   * came later and find no room.
   */
  #fromStore(): readonly ClusterHostRow[] {
    return this.#parts.rows.hosts().toSorted((one, other) => one.seenAt - other.seenAt)
  }

  /**
   * Handles an announcement with a different key from the known one. Ignored while the host with the known key is
   * awake.
   */
  showsAnotherKey(name: string, entry: HostEntry): void {
    const { clock, rows } = this.#parts
    const before = this.#known.get(name)
    if (before && this.isAwake(before)) return
    const host = before ?? { name, entry, key: rows.hostKey(name)!.key, keptAt: undefined }
    this.#known.set(name, { ...host, isStranger: true, seenAt: clock.now(), heardAt: undefined })
  }

  /** From now on, trusts only this key of the host. `signs`: announcements without a signature are refused. */
  pin(name: string, key: string, signs: boolean): void {
    this.#parts.rows.pinHost(name, key, signs)
    if (this.#known.get(name)?.key !== key) this.#known.delete(name)
  }

  /** Whether the host signs its announcements: it has sent a signed one, or its key was pinned with `signs`. */
  hasSigned(name: string): boolean {
    return this.#lastCount(name) >= 0
  }

  /** The count of the host's last announcement that was signed with its known key; -1 if there is none. */
  #lastCount(name: string): number {
    const { entry, key } = this.#known.get(name) ?? {}
    const heard = entry?.key === key ? entry?.count : undefined
    return Math.max(heard ?? -1, this.#parts.rows.hostKey(name)?.count ?? -1)
  }

  /**
   * Stores the counts of the last announcements, so that nobody can replay these or earlier ones after the next start.
   */
  end(): void {
    for (const host of this.#known.values()) {
      if (host.heardAt === undefined || host.isStranger) continue
      try {
        this.#keep(host)
      } catch {
        // In this case, that host's latest announcements could be replayed after the next start.
      }
    }
  }

  #keep({ name, key, entry, seenAt }: KnownHost): void {
    this.#parts.rows.putHost({ name, key, entry: JSON.stringify(entry), seenAt, count: entry.count ?? null })
  }

  /** Records the hosts that share a team because of this announcement: `hostsOf` records each host that it finds. */
  #admitHosts({ name, entry }: KnownHost): void {
    for (const { name: team, hosts = [] } of entry.teams)
      for (const host of new Set([name, ...hosts])) this.hostsOf(nameOf(team, host))
  }

  all(): readonly KnownHost[] {
    return [...this.#known.values()]
  }

  /**
   * Called when this host receives announcements again. Until then, missing announcements prove nothing about other
   * hosts.
   */
  connected(): void {
    this.#connectedAt = this.#parts.clock.machine.elapsed()
  }

  /**
   * Whether the host's lease has run out while this host was connected. Never true for a host with a different key,
   * because a person decides about such a host.
   */
  isUnreachable({ heardAt = -Infinity, entry, isStranger }: KnownHost): boolean {
    const silentMs = this.#parts.clock.machine.elapsed() - Math.max(heardAt, this.#connectedAt)
    return !isStranger && this.#connectedAt > -Infinity && silentMs > entry.leaseMs
  }

  /** The names of stored hosts for which there was no room. */
  get withoutRoom(): readonly string[] {
    return this.#parts.rows.hosts().flatMap(({ name }) => (this.#known.has(name) ? [] : [name]))
  }

  /** Whether the host's lease is still valid. The lease starts again when this host is connected again. */
  isAwake({ heardAt, entry, isStranger }: KnownHost): boolean {
    if (isStranger || heardAt === undefined) return false
    return this.#parts.clock.machine.elapsed() - Math.max(heardAt, this.#connectedAt) <= entry.leaseMs
  }

  /**
   * The host with the least load among those that are awake and accept new conversations. With equal load, the first
   * one.
   */
  leastLoaded(names: readonly string[]): string | undefined {
    const open = names.filter((name) => this.isAwakeByName(name) && this.#known.get(name)?.entry.drained !== true)
    const entry = (name: string): HostEntry => this.#known.get(name)!.entry
    return open.reduce<string | undefined>(
      (best, name) => (best && moreLoad(entry(best), entry(name)) <= 0 ? best : name),
      undefined,
    )
  }

  /**
   * Whether the host is awake or could be. A host that has not been heard since Iris started counts as awake for the
   * length of one lease.
   */
  mayBeAwake(name: string): boolean {
    const host = this.#known.get(name)
    if (host === undefined || host.isStranger) return false
    const isNotHeardYet = host.heardAt === undefined && !host.entry.left
    return this.isAwake(isNotHeardYet ? { ...host, heardAt: this.#connectedAt } : host)
  }

  isAwakeByName(name: string): boolean {
    const host = this.#known.get(name)
    return host !== undefined && this.isAwake(host)
  }

  /**
   * The hosts that have the team with this full name, the host in the name first. Another host is included once both
   * hosts name each other in signed announcements and this is recorded. A host that does not say that it shares the
   * team would answer messages without the log of the conversation.
   */
  hostsOf(team: string): readonly string[] {
    const host = this.hostOf(team)
    if (host === undefined) return []
    const { team: name } = partsOf(team)!
    const others = this.#sharing(host, name).filter((other) => other !== host.name)
    const more = others.filter((other) => this.hasWith(host.name, name, other) && this.hasWith(other, name, host.name))
    return [host.name, ...more.filter((other) => this.#teamHosts.admit(team, other))]
  }

  /** Whether the host says that it shares the team with others. */
  shares(host: string, team: string): boolean {
    return this.#sharing(this.#known.get(host), team).includes(host)
  }

  /** Whether the host has signed that it shares the team with the host `other`. */
  hasWith(name: string, team: string, other: string): boolean {
    const host = this.#known.get(name)
    const isBelieved = host?.entry.count !== undefined && !host.isStranger
    return isBelieved && this.shares(name, team) && this.#sharing(host, team).includes(other)
  }

  /**
   * Whether the host may continue an existing conversation with the team of this full name, when another of the team's
   * hosts says that it leads the conversation. The host may still be excluded from new conversations.
   */
  mayLead(name: string, team: string): boolean {
    if (this.hostsOf(team).includes(name)) return true
    const saysItShares = this.#known.get(name)?.isStranger === false && this.shares(name, partsOf(team)!.team)
    return saysItShares && this.#teamHosts.admit(team, name)
  }

  /**
   * The full names of teams that this host began to share within the last week, each with the host in the team's name.
   */
  newTeamsOf(host: string): readonly string[] {
    return this.#teamHosts.newOf(host)
  }

  /** Whether the host's Iris is new enough to read what an ask says about its turn's progress. */
  readsKnown(name: string): boolean {
    return (this.#known.get(name)?.entry.wire ?? 0) >= firstWithKnown
  }

  /**
   * The limit for which messages to this team are waiting: the one that `host` reports. Without `host`, there is a
   * limit only if every awake host that has the team reports one.
   */
  limitOf(team: string, host?: string): Limited | undefined {
    const name = partsOf(team)?.team
    const hosts = (host === undefined ? this.hostsOf(team) : [host]).filter((each) => this.isAwakeByName(each))
    const limits = hosts.map((each) => this.#known.get(each)?.entry.teams.find((one) => one.name === name)?.limited)
    if (limits.includes(undefined)) return undefined
    return limits.toSorted((one, other) => one!.until - other!.until)[0]
  }

  /** The hosts that share this team, according to `host`. Empty if `host` does not share it. */
  #sharing(host: KnownHost | undefined, team: string): readonly string[] {
    return host?.entry.teams.find(({ name }) => name === team)?.hosts ?? []
  }

  /** The key that is trusted for the host with this name. */
  keyOf(name: string): string | undefined {
    return this.#known.get(name)?.key ?? this.#parts.rows.hostKey(name)?.key
  }

  find(name: string): KnownHost | undefined {
    return this.#known.get(name)
  }

  /**
   * The host in a team's full name. Undefined if a team on this host has exactly that name, because then that team is
   * meant.
   */
  hostOf(team: string): KnownHost | undefined {
    if (this.#parts.config().teams.has(team)) return undefined
    return this.#known.get(partsOf(team)?.host ?? '')
  }

  /** Teams that others offer, by their full names. */
  teams(): (OfferedTeam & { readonly fullName: string; readonly host: KnownHost })[] {
    return this.all()
      .filter(({ isStranger }) => !isStranger)
      .flatMap((host) => host.entry.teams.map((team) => ({ ...team, fullName: nameOf(team.name, host.name), host })))
      .filter(({ fullName, askedBy }) => this.#mayAsk(askedBy) && !this.#parts.config().teams.has(fullName))
  }

  #mayAsk(askedBy: OfferedTeam['askedBy']): boolean {
    return askedBy === undefined || askedBy.includes(this.#parts.config().cluster?.name ?? '')
  }

  /**
   * The full name for a team's short name, if this host does not have the team but one other host has it, or several
   * hosts share it. Returns any other name unchanged.
   */
  resolve(name: string): string {
    const { teams, formerTeams } = this.#parts.config()
    if (this.#known.size === 0 || teams.has(name) || formerTeams.has(name)) return name
    const offered = this.teams().filter((team) => team.name === name)
    // Hosts that share a team count as one, because the log of a conversation says which of them leads it. The first
    // host in their list is part of the full name.
    const [firstHost] = offered[0]?.hosts ?? []
    const isShared = offered.every(({ host, hosts }) => hosts?.includes(host.name) && hosts[0] === firstHost)
    if (offered.length > 1 && !isShared) return name
    const meant = isShared ? (offered.find(({ host }) => host.name === firstHost) ?? offered[0]) : offered[0]
    return meant?.fullName ?? name
  }

  /** Throws `not_allowed` for a host with a different key, and `unknown_team` if the host does not offer this team. */
  mustOffer(team: string): void {
    const host = this.hostOf(team)
    if (host?.isStranger) {
      throw new IrisError(
        'not_allowed',
        `The host "${host.name}" has a different key than before, so it may be another machine.`,
        `If it was reinstalled, forget the old key: iris cluster forget ${host.name}`,
      )
    }
    const names = this.teams().map(({ fullName }) => fullName)
    if (names.includes(team)) return
    const meant = nearest(team, names)
    const what = `The host "${partsOf(team)?.host}" does not offer a team "${partsOf(team)?.team}".`
    throw new IrisError('unknown_team', what, `${meant ? `Did you mean "${meant}"? ` : ''}list_teams names all.`)
  }

  /** Forgets hosts and their keys. The next announcement from each of them counts as its first. */
  forget(names: readonly string[]): void {
    this.#parts.rows.removeHosts(names)
    for (const name of names) {
      this.#known.delete(name)
      this.#room.leave(name)
      this.#teamHosts.forget(name)
    }
  }
}
