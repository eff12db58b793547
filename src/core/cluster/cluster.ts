import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { roleThread } from '../../base/protocol/role.ts'
import { irisVersion } from '../../base/protocol/version.ts'
import type { Config, TeamConfig } from '../../platform/config/config.ts'
import type { ClusterRows } from '../../platform/store/cluster.ts'
import type { Ask } from '../orchestrator/ask.ts'
import type { AskElsewhere, Elsewhere } from '../orchestrator/elsewhere.ts'
import type { Turns } from '../orchestrator/turn-handle.ts'
import type { Pool } from '../pool/pool.ts'
import { hostEntryOf } from './host-entry.ts'
import { nameOf, partsOf } from './host-names.ts'
import { Hosts } from './hosts.ts'
import { Incoming } from './incoming.ts'
import { EndLetter, MovedLetter, readLetter, wireVersion } from './letters.ts'
import { Outgoing } from './outgoing.ts'
import type { HostEntry, HostLoad, Letter, Network, OfferedTeam } from './ports.ts'
import { openSealed, type Seal } from './seal.ts'
import { Shared, type SharedParts } from './shared.ts'
import { type Claim, claim, type TakeLeadParts } from './take-lead.ts'

export interface ClusterParts
  extends Pick<SharedParts, 'launcher' | 'giveUp' | 'sessionOf' | 'newId'>,
    Pick<TakeLeadParts, 'sessions' | 'machines'> {
  readonly pool: TakeLeadParts['pool'] & Pick<Pool, 'holders'>
  readonly config: () => Config
  readonly clock: Clock
  readonly log: Log
  readonly rows: ClusterRows
  /** Built after this, since turns may be elsewhere. */
  readonly turns: () => Pick<Turns, 'ask' | 'handle'>
}

/** The least time between two announcements. With more hosts it grows, so that their number costs each one the same. */
const announceMs = 1000
const announceMsForHost = 20
const leasesMissed = 4

/** This host among others: passes asks to their hosts and answers theirs. It is alone until it is joined. */
export class Cluster implements Elsewhere {
  readonly hosts: Hosts
  readonly outgoing: Outgoing
  readonly shared: Shared
  readonly #incoming: Incoming
  readonly #parts: ClusterParts
  #joined: { readonly network: Network; readonly seal: Seal; readonly self: string } | undefined
  #isDrained = false
  #hasLeft = false
  #endAnnouncing: (() => void) | undefined

  constructor(parts: ClusterParts) {
    this.#parts = parts
    const { clock, log } = parts
    this.hosts = new Hosts(parts)
    const send = (to: string, letter: Letter, id: string): Promise<void> => this.#send(to, letter, id)
    const self = (): string => this.#self
    const isAwake = (name: string): boolean => this.hosts.isAwakeByName(name)
    const leastLoaded = (names: readonly string[]): string | undefined => this.hosts.leastLoaded(names)
    const ofHosts = { isAwake, leastLoaded, hostsOf: (team: string) => this.hosts.hostsOf(team) }
    this.outgoing = new Outgoing({ clock, log, send, ...ofHosts, fullName: (team) => this.#fullName(team) })
    this.shared = new Shared({ ...parts, self, logs: () => this.#joined?.network.logs })
    this.#incoming = new Incoming({
      isDrained: () => this.#isDrained,
      sessions: parts.sessions,
      claim: (ask, turn, then) =>
        this.#claim(ask, turn, then, {
          ...{ ...parts, self },
          isAwake: (host) => isAwake(host) && this.hosts.shares(host, ask.pair.to),
          passOn: (hosts) => this.#passOn(hosts.filter((host) => this.#mayTake(ask, host))),
        }),
      ends: (turn, end) => this.shared.ends(turn, end),
      ...{ config: parts.config, clock, rows: parts.rows, self, send },
      turns: { ask: (ask) => parts.turns().ask(ask), handle: (id) => parts.turns().handle(id) },
      tell: (to, text) => this.#joined?.network.mailbox.tell(to, text),
      onTrouble: (what, turn) => log.warn(`an answer for another host waits: ${what}`, { turnId: turn }),
    })
  }

  /** How many asks of this host, or of all others, are not answered yet. */
  answering(host?: string): number {
    return this.#parts.rows.unanswered().filter((row) => host === undefined || row.host === host).length
  }

  isThere(team: string): boolean {
    return this.hosts.hostOf(team) !== undefined
  }

  mustOffer(team: string): void {
    this.hosts.mustOffer(team)
  }

  carry(ask: AskElsewhere, on: Parameters<Elsewhere['carry']>[1]): ReturnType<Elsewhere['carry']> {
    return this.outgoing.carry(ask, on)
  }

  chainBefore(turnId: string, from: string): readonly string[] | undefined {
    return from.includes('@') ? this.#parts.rows.ask(turnId)?.chain : undefined
  }

  /** The network is there: takes letters, announces this host, and goes on with what waited. */
  async join(self: string, seal: Seal, network: Network): Promise<void> {
    this.#joined = { network, seal, self }
    const { directory, mailbox } = network
    await directory.watch((host, entry) => this.#announced(host, entry))
    await mailbox.listen((from, text) => this.outgoing.heard(from, text))
    await mailbox.receive((from, letter) => this.#receive(from, letter))
    await this.#announce()
    this.#announceAgain()
    this.connected()
  }

  /** There is a connection again after a break. */
  connected(): void {
    this.hosts.connected()
    this.outgoing.connected()
    this.#incoming.resume()
  }

  /** From now on this host takes no new conversations of other hosts, or does again. */
  drain(isDrained: boolean): void {
    this.#isDrained = isDrained
    this.settingsChanged()
  }

  get isDrained(): boolean {
    return this.#isDrained
  }

  /** This host leaves the others: they list its teams no more. */
  async leave(): Promise<void> {
    this.#hasLeft = true
    this.#endAnnouncing?.()
    await this.#joined?.network.directory.withdraw()
  }

  /** What this host offers may have changed. */
  settingsChanged(): void {
    void this.#announce()
  }

  /** Ends the announcements and leaves open turns to the next start. */
  end(): void {
    this.#endAnnouncing?.()
    this.outgoing.end()
    this.shared.end()
  }

  /** Never throws: an entry that cannot be read, or not be kept, is only not believed. */
  #announced(host: string, text: string | undefined): void {
    if (host === this.#self) return
    if (text === undefined) return this.hosts.left(host)
    const entry = hostEntryOf(text)
    if (entry === undefined) return this.#parts.log.debug(`${host} has announced itself in a way that cannot be read`)
    try {
      this.hosts.seen(host, entry)
    } catch (error) {
      this.#parts.log.warn(`what ${host} announces could not be kept: ${String(error)}`)
    }
  }

  get #self(): string {
    return this.#joined?.self ?? ''
  }

  #fullName(team: string): string {
    return this.hosts.hostOf(team) === undefined ? nameOf(team, this.#self) : team
  }

  async #send(to: string, letter: Letter, id: string): Promise<void> {
    if (this.#joined === undefined) throw new Error('this host is not joined with others')
    const { network, seal, self } = this.#joined
    await network.mailbox.send(to, { ...letter, text: seal.seal(self, to, letter) }, id)
  }

  async #receive(from: string, sealed: Letter): Promise<void> {
    const host = this.hosts.find(from)
    if (host === undefined) throw new Error(`${from} has not announced itself yet`)
    const text = host.isStranger ? undefined : openSealed(host.entry.key, from, this.#self, sealed)
    if (text === undefined) {
      this.#parts.log.warn(`a message that claims to come from ${from} is not signed by it; it is dropped`)
      return
    }
    const letter = { ...sealed, text }
    if (letter.kind === 'ask') return this.#incoming.ask(from, letter)
    if (letter.kind === 'cancel') return this.#incoming.cancel(from, letter)
    if (letter.kind === 'settled') return this.#settled(from, letter)
    if (letter.kind === 'moved') return this.#moved(from, letter)
    if (!this.outgoing.taken(from, letter.turn)) await this.#recall(from, letter.turn)
  }

  async #moved(from: string, { turn, text }: Letter): Promise<void> {
    const moved = readLetter(MovedLetter, text)
    if (moved) this.outgoing.moved(from, turn, moved.to)
  }

  /** A host sends no message to itself. */
  #mayTake({ pair: { from, to } }: Ask, host: string): boolean {
    return host !== partsOf(from)?.host && this.hosts.shares(host, to)
  }

  /** A drained host leaves new conversations to another one, if one is awake. */
  #passOn(hosts: readonly string[]): string | undefined {
    return this.#isDrained ? this.hosts.leastLoaded(hosts.filter((name) => name !== this.#self)) : undefined
  }

  #claim<T>({ pair, role }: Ask, turn: string, then: (claim: Claim) => Promise<T>, parts: TakeLeadParts) {
    const thread = role === undefined ? pair.thread : roleThread(role, pair.thread)
    const of = { ...pair, thread }
    if (!this.shared.concerns(of)) return undefined
    const lead = this.shared.leadOf(of)
    return lead.alone(async () => then(await claim(lead, of, turn, parts)))
  }

  /** Kept in the mailbox until the ledger has the end. */
  async #settled(from: string, { turn, text }: Letter): Promise<void> {
    const end = readLetter(EndLetter, text)
    if (end === undefined) return this.#parts.log.warn(`an end that ${from} sent cannot be read`, { turnId: turn })
    this.outgoing.settled(from, turn, end)
    if (this.outgoing.has(turn)) await this.#parts.turns().handle(turn).wait()
  }

  /** The host has taken a turn that has ended here: it need not go on. */
  async #recall(host: string, turn: string): Promise<void> {
    const status = await this.#parts.turns().handle(turn).status()
    const end = status && ('row' in status ? status.row.outcome : status.live.end?.outcome)
    if (end !== 'cancelled' && end !== 'failed') return
    await this.#send(
      host,
      { turn, kind: 'cancel', text: JSON.stringify({ detail: 'The asker waits no more.' }) },
      `${turn}:recall`,
    )
  }

  async #announce(): Promise<void> {
    if (this.#joined === undefined || this.#hasLeft) return
    await this.#joined.network.directory
      .announce(this.#entry(this.#joined.seal))
      .catch((error: unknown) => this.#parts.log.debug(`this host could not be announced: ${String(error)}`))
  }

  #announceAgain(): void {
    this.#endAnnouncing = this.#parts.clock.after(this.#announceEveryMs, () => {
      void this.#announce()
      this.#announceAgain()
    })
  }

  get #announceEveryMs(): number {
    return Math.max(announceMs, this.hosts.all().length * announceMsForHost)
  }

  /** What this host has to do. */
  get load(): HostLoad {
    const sessions = [...this.#parts.sessions.all()]
    const turns = sessions.reduce((sum, { queue }) => sum + queue.length, 0)
    return { turns, processes: this.#parts.pool.holders().length }
  }

  #entry({ publicKey }: Seal): HostEntry {
    const teams = [...this.#parts.config().teams.values()].map(offered)
    const leaseMs = this.#announceEveryMs * leasesMissed
    const { load } = this
    const drained = this.#isDrained ? { drained: true } : {}
    return { wire: wireVersion, version: irisVersion, key: publicKey, teams, leaseMs, load, ...drained }
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
