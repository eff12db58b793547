import type { Limited } from '../../base/protocol/limit.ts'
import type { OtherHosts, RemoteAsk } from '../../kernel/session/other-hosts.ts'
import { AnnouncementCount } from './announcement-count.ts'
import { Announcements } from './announcements.ts'
import { Announcer, loadOf } from './announcer.ts'
import { isTurnId, maxOfLetter } from './bounds.ts'
import { Cancels } from './cancels.ts'
import { Claims } from './claims.ts'
import type { ClusterParts } from './cluster-parts.ts'
import type { Deadlocks } from './deadlocks.ts'
import { deadlocksOf } from './deadlocks-of.ts'
import { ownCount } from './host-entry.ts'
import { nameOf } from './host-names.ts'
import { Hosts } from './hosts.ts'
import { Incoming } from './incoming.ts'
import { EndLetter, LacksLetter, MovedLetter, refusedEnd, TakenLetter } from './letters.ts'
import { aboutLine, openLine } from './live-lines.ts'
import { LogEnds } from './log-ends.ts'
import { LogSeal } from './log-seal.ts'
import { LostRecords } from './lost-records.ts'
import { movesInto } from './moves.ts'
import { Outgoing } from './outgoing.ts'
import { isLetterKind, type Letter, type Network } from './ports.ts'
import { Refusals, unreadable } from './refusals.ts'
import { Reported } from './reported.ts'
import { openSealed, type Seal } from './seal.ts'
import { Shared } from './shared.ts'
import { signJson } from './signed-json.ts'
import { Unheard } from './unheard.ts'

type Outbox = (to: string, letter: Letter, id: string) => Promise<void>

/** Connects this host with others: passes asks to their hosts, and answers asks from them. Inactive until `join`. */
export class Cluster implements OtherHosts {
  readonly hosts: Hosts
  readonly refusals: Refusals
  readonly lostRecords: LostRecords
  readonly announcements: Announcements
  readonly outgoing: Outgoing
  readonly shared: Shared
  readonly reported: Reported
  readonly #incoming: Incoming
  readonly #count: AnnouncementCount
  readonly #announcer: Announcer
  readonly #cancels: Cancels
  readonly #rings: Deadlocks
  readonly #parts: ClusterParts
  readonly #unheard: Unheard
  #joined: { readonly network: Network; readonly seal: Seal; readonly self: string } | undefined

  constructor(parts: ClusterParts) {
    this.#parts = parts
    const { clock, log, traces } = parts
    this.refusals = new Refusals(log)
    this.lostRecords = new LostRecords(parts)
    this.#unheard = new Unheard(log)
    const { refusals } = this
    this.hosts = new Hosts({ ...parts, refusals })
    this.announcements = new Announcements({ log, hosts: this.hosts, refusals })
    this.#count = new AnnouncementCount(parts)
    const send: Outbox = (to, letter, id) => this.#send(to, letter, id)
    const self = (): string => this.#self
    const isAwake = (name: string): boolean => this.hosts.mayBeAwake(name)
    const minLoaded = (names: readonly string[]): string | undefined => this.hosts.leastLoaded(names)
    const ofHosts = { isAwake, leastLoaded: minLoaded, hostsOf: (team: string) => this.hosts.hostsOf(team) }
    this.#announcer = new Announcer({
      ...parts,
      load: () => loadOf(parts),
      hosts: () => this.hosts.all().length,
      nextCount: () => this.#count.next(),
      joined: () => this.#joined && { ...this.#joined, ...this.#joined.network },
    })
    this.reported = new Reported({ ...parts, send, refusals, hostsOf: ofHosts.hostsOf })
    const moved = movesInto(parts)
    const cancels = new Cancels({ ...parts, send })
    this.#cancels = cancels
    this.outgoing = new Outgoing({
      traces,
      clock,
      log,
      send,
      cancels,
      moved,
      rows: parts.rows,
      newId: parts.newId,
      ...ofHosts,
      begunRows: parts.begunRows,
      readsKnown: (host) => this.hosts.readsKnown(host),
      leaderAwayMs: () => parts.config().cluster?.leaderAway ?? 0,
      mayLead: (host, team) => this.hosts.mayLead(host, team),
      fullName: (team) => this.#fullName(team),
    })
    this.#rings = deadlocksOf({ ...parts, send, self, outgoing: this.outgoing })
    const logSeal = new LogSeal({
      self,
      seal: () => this.#joined?.seal,
      keyOf: (host, team) => (this.#mayLead(host, team) ? this.hosts.keyOf(host) : undefined),
    })
    this.shared = new Shared({
      ...parts,
      self,
      moved,
      logs: () => this.#joined?.network.logs,
      logSeal,
      logEnds: new LogEnds(parts),
      running: () => [...parts.sessions.all()].filter(({ running }) => running !== undefined),
      began: (turn) => this.#incoming.began(turn),
      lostRecords: (pair, was, is) => this.lostRecords.add(pair, was, is),
    })
    const { hosts, shared } = this
    const claims = new Claims({ ...parts, hosts, shared, self, moved, isDrained: () => this.isDrained })
    this.#incoming = new Incoming({
      refusals,
      isDrained: () => this.isDrained,
      newId: parts.newId,
      traces,
      notices: parts.notices,
      awaits: (turn) => parts.awaits(turn, this.#self),
      sessions: parts.sessions,
      claim: (ask, turn, known, then) => claims.claim(ask, turn, known, then),
      placeOf: (turn) => shared.placeOf(turn),
      ends: (turn, end) => this.shared.ends(turn, end),
      config: parts.config,
      clock,
      rows: parts.rows,
      self,
      send,
      turns: { ask: (ask) => parts.turns().ask(ask), handle: (id) => parts.turns().handle(id) },
      tell: (to, text) => this.#tell(to, text),
      onTrouble: (what, turn) => log.warn(`an answer for another host is waiting: ${what}`, { turnId: turn }),
    })
  }

  /**
   * The limit for which messages to this team on another host are waiting. With `turn`, the limit is the one that
   * applies on the host that answers that turn.
   */
  limitOf(team: string, turn?: string): Limited | undefined {
    return this.hosts.limitOf(team, turn === undefined ? undefined : this.outgoing.hostFor(turn))
  }

  /** How many asks from this host, or from all others, are not answered yet. */
  answering(host?: string): number {
    return this.#parts.rows.unanswered().filter((row) => host === undefined || row.host === host).length
  }

  /** Whether there are unanswered messages to or from this host, or a cancel that the host has not confirmed. */
  isInUse(host: string): boolean {
    const { rows } = this.#parts
    const isCancelled = rows.cancels(0).some((cancel) => cancel.host === host)
    return this.outgoing.asks(host) || this.answering(host) > 0 || isCancelled
  }

  isThere(team: string): boolean {
    return this.hosts.hostOf(team) !== undefined
  }

  away(team: string): { readonly host: string; readonly since: number } | undefined {
    const host = this.hosts.hostOf(team)
    return host === undefined || this.hosts.isAwake(host) ? undefined : { host: host.name, since: host.seenAt }
  }

  teamNames = (): readonly string[] => this.hosts.teams().map(({ fullName }) => fullName)

  mustOffer(team: string): void {
    this.hosts.mustOffer(team)
  }

  carry(ask: RemoteAsk, on: Parameters<OtherHosts['carry']>[1]): ReturnType<OtherHosts['carry']> {
    return this.outgoing.carry(ask, on)
  }

  chainBefore(turnId: string, from: string): readonly string[] | undefined {
    return from.includes('@') ? this.#parts.rows.ask(turnId)?.chain : undefined
  }

  /** Called when the network is available: accepts letters, announces this host, and continues waiting work. */
  async join(self: string, seal: Seal, network: Network): Promise<void> {
    this.#joined = { network, seal, self }
    const { directory, mailbox } = network
    // Called first: this host has only just begun to receive announcements, so missing ones must not make it answer
    // other hosts' asks.
    this.hosts.connected()
    const own = await directory.own().catch((error: unknown) => {
      this.#parts.log.warn(`the last announcement of this host cannot be read: ${String(error)}`)
      return undefined
    })
    this.#count.hasUsed(ownCount(own, self, seal))
    await directory.watch((host, entry) => this.#announced(host, entry))
    await mailbox.listen((from, text) => this.#hearLine(from, text))
    await mailbox.receive((from, letter) => this.#receive(from, letter))
    await this.#announcer.begin()
    this.#rings.begin()
    this.#resumeWork()
  }

  /** The connection is back after a break. */
  connected(): void {
    this.#resumeWork()
    this.shared.reconnected()
  }

  #resumeWork(): void {
    this.hosts.connected()
    this.outgoing.connected()
    this.#cancels.connected()
    this.#incoming.resume()
    this.reported.resume()
  }

  /** Stops accepting new conversations from other hosts, or accepts them again. */
  drain(isDrained: boolean): void {
    this.#announcer.drain(isDrained)
  }

  get isDrained(): boolean {
    return this.#announcer.isDrained
  }

  /** Called when questions for people were asked or answered, or when limits began or ended. */
  waitsChanged(): void {
    void this.#incoming.waitsChanged()
  }

  /** Makes this host leave the others, which then no longer list its teams. */
  async leave(): Promise<void> {
    await this.#announcer.leave()
  }

  /** Called when what this host offers may have changed. */
  settingsChanged(): void {
    void this.#announcer.announce()
  }

  /** Ends the announcements and leaves open turns to the next start. */
  end(): void {
    this.#announcer.end()
    this.#cancels.end()
    this.#rings.end()
    this.outgoing.end()
    this.shared.end()
    this.hosts.end()
  }

  #announced(host: string, text: string): void {
    if (host !== this.#self && this.announcements.take(host, text)) this.#parts.accountLimits.changedElsewhere()
  }

  #hearLine(from: string, text: string): void {
    const line = openLine(text, from, this.#self, this.hosts)
    if (line === undefined) this.refusals.add(from, 'a line of a running turn is not signed by it')
    else if (!this.outgoing.heard(from, line))
      this.refusals.add(from, 'lines of a turn cannot be read, or are out of bounds')
  }

  #tell(to: string, text: string): void {
    const { network, seal, self } = this.#joined ?? {}
    if (seal !== undefined) network!.mailbox.tell(to, signJson(text, aboutLine(self!, to), seal))
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
    if (host === undefined) throw this.#unheard.waits(from)
    // The turn's id becomes a key of rows, and part of file paths. This Iris does not know the letter kinds of later
    // versions.
    if (!isTurnId(sealed.turn) || !isLetterKind(sealed.kind) || sealed.text.length > maxOfLetter)
      return this.refusals.add(from, 'a letter is out of bounds')
    const text = openSealed(host.key, from, this.#self, sealed)
    if (text === undefined) return this.refusals.add(from, 'a letter is not signed by it')
    const letter = { ...sealed, text }
    if (letter.kind === 'ask') return this.#incoming.ask(from, letter)
    if (letter.kind === 'cancel') return this.#incoming.cancel(from, letter)
    if (letter.kind === 'settled') return this.#settled(from, letter)
    if (letter.kind === 'moved') return this.#moved(from, letter)
    if (letter.kind === 'lacks') return this.#lacks(from, letter)
    if (letter.kind === 'reported') return this.reported.take(from, letter)
    if (letter.kind === 'waits') return this.#rings.receive(text, () => this.refusals.add(from, unreadable))
    const taken = this.refusals.read(TakenLetter, from, letter)
    if (!this.outgoing.taken(from, letter.turn, taken)) await this.#recall(from, letter.turn)
  }

  async #moved(from: string, letter: Letter): Promise<void> {
    const moved = this.refusals.read(MovedLetter, from, letter)
    if (moved) this.outgoing.moved(from, letter.turn, moved.to)
  }

  #lacks(from: string, letter: Letter): void {
    const lacks = this.refusals.read(LacksLetter, from, letter)
    if (lacks) this.outgoing.lacks(from, letter.turn, lacks.why)
  }

  #mayLead(host: string, team: string): boolean {
    return this.#parts.config().teams.get(team)?.hosts?.includes(host) === true
  }

  /** The letter stays in the mailbox until the end is in the ledger. */
  async #settled(from: string, letter: Letter): Promise<void> {
    const { turn } = letter
    this.#cancels.confirmed(from, turn)
    // Without an end, the same letter would be sent again, and the turn would wait forever.
    const cannot = `${from} has ended the message, but its report of the end cannot be read or is out of bounds.`
    const end = this.refusals.read(EndLetter, from, letter) ?? refusedEnd('failed', 'internal', cannot)
    this.outgoing.settled(from, turn, end)
    if (this.outgoing.has(turn)) await this.#parts.turns().handle(turn).wait()
  }

  /** The host has accepted a turn that has already ended here, so the turn is cancelled there. */
  async #recall(host: string, turn: string): Promise<void> {
    const status = await this.#parts.turns().handle(turn).status()
    const end = status && ('row' in status ? status.row.outcome : status.live.end?.outcome)
    if (end !== 'cancelled' && end !== 'failed') return
    await this.#cancels.add(turn, [host], 'The asker is no longer waiting.')
  }
}
