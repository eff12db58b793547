import type { Clock } from '../../base/lib/clock.ts'
import { nearest } from '../../base/lib/nearest.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Config } from '../../platform/config/config.ts'
import type { ClusterHostRow, ClusterRows } from '../../platform/store/cluster.ts'
import type { Limited } from '../pool/account-limits.ts'
import { DirectoryRoom, mostHosts } from './directory-room.ts'
import { hostEntryOf } from './host-entry.ts'
import { nameOf, partsOf } from './host-names.ts'
import type { HostEntry, OfferedTeam } from './ports.ts'
import type { Refusals } from './refusals.ts'

export interface HostsParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly rows: ClusterRows
  readonly refusals: Pick<Refusals, 'add'>
}

/** Another host, as this one knows it. */
export interface KnownHost {
  readonly name: string
  readonly entry: HostEntry
  /** Its key is not the one that this host first saw. It is not believed. */
  readonly isStranger: boolean
  /** Milliseconds since the epoch. */
  readonly seenAt: number
  /** In the clock's `elapsed` time; undefined: not since Iris started. */
  readonly heardAt: number | undefined
}

/** The other hosts: who they are, what they offer, and who of them is awake. They are remembered while they sleep. */
export class Hosts {
  readonly #parts: HostsParts
  readonly #known = new Map<string, KnownHost>()
  readonly #room = new DirectoryRoom()
  /** In the clock's `elapsed` time. */
  #connectedAt = -Infinity

  constructor(parts: HostsParts) {
    this.#parts = parts
    for (const { name, key, entry, seenAt } of this.#fromStore()) {
      const said = hostEntryOf(entry)
      const announced = said && this.#fitting(name, said)
      if (announced === undefined) continue
      this.#known.set(name, { name, entry: announced, isStranger: announced.key !== key, seenAt, heardAt: undefined })
    }
  }

  /** A host has announced itself. Time is counted from here on: clocks of hosts differ. Returns whether it says anything new. */
  seen(name: string, said: HostEntry): boolean {
    const { clock, rows } = this.#parts
    const entry = this.#fitting(name, said)
    if (entry === undefined) return false
    const before = this.#known.get(name)
    const key = rows.keyOf(name) ?? entry.key
    const now = { seenAt: clock.now(), heardAt: clock.machine.elapsed() }
    // An announcement that only renews the lease costs no write.
    const isKept = before?.heardAt !== undefined && lasting(before.entry) === lasting(entry)
    if (!isKept) rows.putHost({ name, key: entry.key, entry: JSON.stringify(entry), seenAt: now.seenAt })
    this.#known.set(name, { name, entry, isStranger: entry.key !== key, ...now })
    return !isKept
  }

  /** Those whose entries are the oldest first: a flood of names came later. */
  #fromStore(): readonly ClusterHostRow[] {
    return this.#parts.rows.hosts().toSorted((one, other) => one.seenAt - other.seenAt)
  }

  /** As much of what a host says of itself as there is room for; undefined: there is none. */
  #fitting(name: string, said: HostEntry): HostEntry | undefined {
    const { config, refusals } = this.#parts
    const isNamed = [...config().teams.values()].some(({ hosts, askedBy }) =>
      [hosts, askedBy].some((names) => names?.includes(name)),
    )
    const entry = this.#room.take(name, said, !isNamed)
    if (entry === undefined)
      refusals.add(name, `there is no room for a new host: ${mostHosts} hosts, or their teams, fill it`)
    else if (entry !== said) refusals.add(name, 'there is no room for all its teams')
    return entry
  }

  /** A host has left for good. Its answers may still come. */
  left(name: string): void {
    const host = this.#known.get(name)
    if (host) this.#known.set(name, { ...host, entry: { ...host.entry, teams: [] }, heardAt: undefined })
  }

  all(): readonly KnownHost[] {
    return [...this.#known.values()]
  }

  /** This host hears the others again: what it did not hear while it was cut off says nothing about them. */
  connected(): void {
    this.#connectedAt = this.#parts.clock.machine.elapsed()
  }

  isAwake({ heardAt, entry, isStranger }: KnownHost): boolean {
    if (isStranger || heardAt === undefined) return false
    return this.#parts.clock.machine.elapsed() - Math.max(heardAt, this.#connectedAt) <= entry.leaseMs
  }

  /** Of these hosts the awake one that has the least to do; the first one where several have. */
  leastLoaded(names: readonly string[]): string | undefined {
    const open = names.filter((name) => this.isAwakeByName(name) && this.#known.get(name)?.entry.drained !== true)
    const entry = (name: string): HostEntry => this.#known.get(name)!.entry
    return open.reduce<string | undefined>(
      (best, name) => (best && moreLoad(entry(best), entry(name)) <= 0 ? best : name),
      undefined,
    )
  }

  isAwakeByName(name: string): boolean {
    const host = this.#known.get(name)
    return host !== undefined && this.isAwake(host)
  }

  /**
   * The hosts that have the team of this full name: the one in its name first. A host that does not say the same of
   * itself would run its messages without the log.
   */
  hostsOf(team: string): readonly string[] {
    const host = this.hostOf(team)
    if (host === undefined) return []
    const { team: name } = partsOf(team)!
    const more = this.shares(host.name, name) ? this.#sharing(host, name) : []
    return [host.name, ...more.filter((other) => other !== host.name && this.shares(other, name))]
  }

  /** Whether the host says of itself that it has the team together with others. */
  shares(host: string, team: string): boolean {
    return this.#sharing(this.#known.get(host), team).includes(host)
  }

  /** Until when messages for this team wait, as `host` says, or else each awake host that has it. */
  limitOf(team: string, host?: string): Limited | undefined {
    const name = partsOf(team)?.team
    const hosts = (host === undefined ? this.hostsOf(team) : [host]).filter((each) => this.isAwakeByName(each))
    const limits = hosts.map((each) => this.#known.get(each)?.entry.teams.find((one) => one.name === name)?.limited)
    if (limits.includes(undefined)) return undefined
    return limits.toSorted((one, other) => one!.until - other!.until)[0]
  }

  #sharing(host: KnownHost | undefined, team: string): readonly string[] {
    return host?.entry.teams.find(({ name }) => name === team)?.hosts ?? []
  }

  /** The key by which the host is believed; undefined: it is not. */
  keyOf(name: string): string | undefined {
    const host = this.#known.get(name)
    return host?.isStranger === false ? host.entry.key : undefined
  }

  find(name: string): KnownHost | undefined {
    return this.#known.get(name)
  }

  /** The host that a team's name points to. A team of this host may have such a name too, and then it is meant. */
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

  /** The full name of a team that one other host has, or several together, and this one has not; any other name as it is. */
  resolve(name: string): string {
    const { teams, formerTeams } = this.#parts.config()
    if (this.#known.size === 0 || teams.has(name) || formerTeams.has(name)) return name
    const offered = this.teams().filter((team) => team.name === name)
    // Hosts that have a team together are one place: the log of a conversation says who leads it.
    const [first] = offered[0]?.hosts ?? []
    const isOne = offered.every(({ host, hosts }) => hosts?.includes(host.name) && hosts[0] === first)
    const meant = isOne ? (offered.find(({ host }) => host.name === first) ?? offered[0]) : offered[0]
    return meant === undefined || (offered.length > 1 && !isOne) ? name : meant.fullName
  }

  mustOffer(team: string): void {
    const host = this.hostOf(team)
    if (host?.isStranger) {
      throw new IrisError(
        'not_allowed',
        `The host "${host.name}" shows another key than before; it may be somebody else.`,
        `If it was installed again, forget the former one: iris cluster forget ${host.name}`,
      )
    }
    const names = this.teams().map(({ fullName }) => fullName)
    if (names.includes(team)) return
    const meant = nearest(team, names)
    const what = `The host "${partsOf(team)?.host}" offers no team "${partsOf(team)?.team}".`
    throw new IrisError('unknown_team', what, `${meant ? `Did you mean "${meant}"? ` : ''}list_teams names all.`)
  }

  /** Forgets a host and its key: the next announcement counts as the first. */
  forget(name: string): void {
    this.#parts.rows.removeHost(name)
    this.#known.delete(name)
    this.#room.leave(name)
  }
}

/** What changes with each announcement is not kept. */
function lasting(entry: HostEntry): string {
  return JSON.stringify({ ...entry, load: undefined })
}

/** Less memory has no room for a process with its tools. */
const leastFreeMiB = 512

/**
 * Above 0: the first host has more to do. A host without memory counts as having the most; then messages and processes
 * decide, and then memory, if one has more than twice as much: less changes from moment to moment.
 */
function moreLoad(one: HostEntry, other: HostEntry): number {
  const [a, b] = [loadOf(one), loadOf(other)]
  const memory = Number(b.freeMiB > 2 * a.freeMiB) - Number(a.freeMiB > 2 * b.freeMiB)
  return Number(a.isFull) - Number(b.isFull) || a.work - b.work || memory
}

/** A message that waits counts more than a process, which may be idle. */
function loadOf({ load }: HostEntry) {
  const { turns = 0, processes = 0, freeMiB } = load ?? {}
  return { isFull: (freeMiB ?? leastFreeMiB) < leastFreeMiB, work: turns * 10 + processes, freeMiB: freeMiB ?? 0 }
}
