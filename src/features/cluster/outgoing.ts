import { pause } from '../../base/lib/clock.ts'
import { type Pair, pairText } from '../../base/protocol/pair.ts'
import type { Cancellation } from '../../base/protocol/turn.ts'
import type { OtherHosts, RemoteAsk, RemoteEnd } from '../../kernel/session/other-hosts.ts'
import { endedBy } from '../../kernel/turn/verdict.ts'
import { askLetter } from './ask-letter.ts'
import { AskedHosts, type AskedHostsParts } from './asked-hosts.ts'
import type { Cancels } from './cancels.ts'
import { type Carried, carriedBy, inDoubtHere, nothingElse, refusedHere } from './carried.ts'
import { partsOf } from './host-names.ts'
import { KnownTurns, type KnownTurnsParts, type TakenThere } from './known-turns.ts'
import type { LogPlace } from './led-conversation.ts'
import { type EndLetter, readLines } from './letters.ts'
import type { Moved } from './moves.ts'
import { firstPauseMs, type RepeatAskParts, repeatAsk } from './repeat-ask.ts'
import type { Traces } from './traces.ts'

export interface OutgoingParts extends RepeatAskParts {
  readonly cancels: Pick<Cancels, 'add'>
  readonly rows: AskedHostsParts['rows']
  readonly begunRows: KnownTurnsParts['begunRows']
  /** Whether this host's Iris reads what an ask says about its turn's progress. */
  readonly readsKnown: (host: string) => boolean
  /** How long to wait for a host that had begun a turn, if the servers have lost the turn's records. */
  readonly leaderAwayMs: () => number
  readonly newId: () => string
  /** The hosts that have the team with this name, the host in the name first. */
  readonly hostsOf: (team: string) => readonly string[]
  /** Whether Iris believes that `host` leads a conversation with the team, when another host says so. */
  readonly mayLead: (host: string, team: string) => boolean
  readonly moved: Moved
  readonly traces: Pick<Traces, 'of'>
  readonly isAwake: (host: string) => boolean
  readonly leastLoaded: (hosts: readonly string[]) => string | undefined
  /** A team's name as all hosts know it. */
  readonly fullName: (team: string) => string
}

/** How often Iris looks for the host that continues a conversation. */
const lookEveryMs = 500
/** How long a cancelled turn waits for its host to report how the turn ended there. */
const cancelGraceMs = 10_000

/** The asker's side: turns that other hosts answer. The ledger contains them, so this is rebuilt at each start. */
export class Outgoing {
  readonly #parts: OutgoingParts
  readonly #carried = new Map<string, Carried>()
  /** The host that answered last, by pair, for conversations that several hosts may lead. Only the logs are certain. */
  readonly #leaders = new Map<string, string>()
  /** Part of the ids of letters, because for two minutes a mailbox drops a repeated id, even after a restart. */
  readonly #run: string
  readonly #askedHosts: AskedHosts
  readonly #known: KnownTurns
  #ended = false

  constructor(parts: OutgoingParts) {
    this.#parts = parts
    this.#run = parts.newId()
    this.#askedHosts = new AskedHosts(parts)
    this.#known = new KnownTurns(parts)
  }

  /** Whether this host is waiting for the turn's end. */
  has(turn: string): boolean {
    return this.#carried.has(turn)
  }

  /** The turns that other hosts answer. */
  get turns(): readonly string[] {
    return [...this.#carried.keys()]
  }

  /** The host that answers the turn. */
  hostFor(turn: string): string | undefined {
    return this.#carried.get(turn)?.host
  }

  /** Ends a turn that would otherwise never end. */
  refuse(turn: string, detail: string): void {
    const carried = this.#carried.get(turn)
    if (carried === undefined) return
    void this.#parts.cancels.add(turn, carried.asked, detail)
    carried.over.resolve(refusedHere(detail))
  }

  /** How many turns are waiting for an answer from `host`, and since when the oldest one has been waiting. */
  waitingFor(host: string): { readonly count: number; readonly since: number | undefined } {
    const waiting = [...this.#carried.values()].filter((each) => each.host === host)
    const times = waiting.map(({ ask }) => ask.facts.acceptedAt)
    return { count: waiting.length, since: times.length === 0 ? undefined : Math.min(...times) }
  }

  /** Whether that host may have a turn for which this host is waiting. */
  asks(host: string): boolean {
    return [...this.#carried.values()].some(({ asked }) => asked.has(host))
  }

  async carry(ask: RemoteAsk, on: Parameters<OtherHosts['carry']>[1]): Promise<RemoteEnd | undefined> {
    if (this.#ended) return undefined
    const before = this.#askedHosts.before(ask.id)
    // Iris does not wait for a host that no longer has the team.
    const stillHas = (name: string): boolean => this.#parts.hostsOf(ask.facts.pair.to).includes(name)
    const host = before.findLast(stillHas) ?? this.#placeOf(ask.facts.pair)
    const carried = carriedBy(host, before, ask, on)
    this.#carried.set(ask.id, carried)
    const { host: former, waitsSince } = this.#known.load(ask.id) ?? {}
    if (former !== undefined && waitsSince !== null) this.#waitFor(carried, former, `${former} had begun the message.`)
    if (before.length === 0) this.#askedHosts.keep(ask.id, ask.facts.pair.to, host)
    const cancel = (): void => void this.#cancel(carried)
    if (ask.cancelled.aborted) cancel()
    else ask.cancelled.addEventListener('abort', cancel)
    void repeatAsk(carried, this.#run, (to) => this.#textOf(ask, to), this.#parts)
    const watchNoMore = this.#watchHost(carried)
    try {
      const end = await carried.over.promise
      if (end !== undefined) for (const each of [this.#askedHosts, this.#known]) each.forget(ask.id)
      return end
    } finally {
      ask.cancelled.removeEventListener('abort', cancel)
      this.#carried.delete(ask.id)
      watchNoMore()
      carried.waits?.cancelTimer()
      carried.nudge.abort()
    }
  }

  /** Called when there is a connection again. */
  connected(): void {
    for (const { nudge } of this.#carried.values()) nudge.abort()
  }

  /**
   * Called when the host has committed the turn, which may still wait there. Returns whether this host is still waiting
   * for the turn.
   */
  taken(from: string, turn: string, { begun, ...awaited }: TakenThere = {}): boolean {
    const carried = this.#of(from, turn)
    if (carried === undefined) return this.#hadBegun(from, turn, begun)
    const { to } = carried.ask.facts.pair
    this.#known.taken(turn, to, from, begun)
    this.#waitNoMore(carried)
    if (!carried.isTaken) carried.on.took()
    carried.on.awaits(awaited)
    carried.isTaken = true
    if (this.#parts.hostsOf(carried.ask.facts.pair.to).length > 1)
      this.#leaders.set(pairText(carried.ask.facts.pair), from)
    return true
  }

  /** Called when a host that was asked earlier has the turn. */
  #hadBegun(from: string, turn: string, begun: LogPlace | undefined): false {
    const { asked, ask } = this.#carried.get(turn) ?? {}
    if (begun && asked?.has(from)) this.#known.hadBegun(turn, ask!.facts.pair.to, from, begun)
    return false
  }

  /**
   * Called when the host `from` may not continue the turn. Only the host that had begun the turn may continue it, for
   * as long as Iris waits for that host.
   */
  lacks(from: string, turn: string, why: string): void {
    const carried = this.#of(from, turn)
    const host = this.#known.of(turn)?.host
    if (carried !== undefined && host !== undefined) this.#waitFor(carried, host, why)
  }

  #waitFor(carried: Carried, host: string, why: string): void {
    const { clock, leaderAwayMs, log } = this.#parts
    const { ask } = carried
    const since = this.#known.waits(ask.id, ask.facts.pair.to, clock.now())
    if (carried.waits === undefined) {
      const leftMs = Math.max(0, since + leaderAwayMs() - clock.now())
      const cancelTimer = clock.machine.after(leftMs, () => this.#giveUp(carried, ''))
      log.warn(`a message waits for ${host}: ${why}`, { turnId: ask.id })
      carried.waits = { why, cancelTimer }
    }
    if (carried.host !== host) this.#goTo(carried, host)
  }

  #waitNoMore(carried: Carried): void {
    carried.waits?.cancelTimer()
    carried.waits = undefined
  }

  /**
   * Gives up waiting for the host that had begun the turn, and cancels the turn everywhere: nobody would get its
   * answer.
   */
  #giveUp({ ask, asked, host, waits, on, over }: Carried, more: string): void {
    on.took()
    const detail = `${waits!.why} ${host} did not come back in time, so it is unknown how far it got.${more}`
    void this.#parts.cancels.add(ask.id, asked, detail)
    over.resolve(inDoubtHere(detail, ''))
  }

  /**
   * Called when another host leads the conversation. If that leader is asleep, Iris asks `from` again, because `from`
   * may not know yet that the leader is asleep.
   */
  moved(from: string, turn: string, to: string): void {
    const carried = this.#of(from, turn)
    if (carried === undefined || !this.#parts.mayLead(to, carried.ask.facts.pair.to)) return
    if (this.#parts.isAwake(to)) return this.#goTo(carried, to)
    this.#parts.clock.machine.after(firstPauseMs, () => this.#again(carried))
  }

  /**
   * Handles the end of a turn, reported by a host that has the turn or may have it. After a restart, this may be
   * another host than the one that is currently asked. A refusal counts only from the host that is currently asked,
   * because the turn may be running on another one.
   */
  settled(from: string, turn: string, end: EndLetter): void {
    const carried = this.#carried.get(turn)
    if (carried === undefined) return
    const { asked, ask, host, over } = carried
    // The host refused because its Iris is too old to read what is known about the turn.
    if (end.reason === 'refused' && from === host && (this.#known.of(turn)?.host ?? host) !== host)
      return this.lacks(from, turn, end.detail ?? '')
    const mayHaveIt = asked.has(from) || this.#parts.hostsOf(ask.facts.pair.to).includes(from)
    if (from === host || (mayHaveIt && end.reason !== 'refused')) over.resolve(end)
  }

  /** Handles lines of a running turn. Returns false if the lines cannot be read or are out of bounds. */
  heard(from: string, text: string): boolean {
    const { value } = readLines(text)
    const carried = value && this.#of(from, value.turn)
    if (carried === undefined || value!.n !== carried.next) return value !== undefined
    carried.next += 1
    this.#known.heard(value!.turn, carried.ask.facts.pair.to, from)
    for (const line of value!.lines) carried.on.hear(line)
    return true
  }

  /** Leaves unfinished work to the next start. */
  end(): void {
    this.#ended = true
    for (const { over } of this.#carried.values()) over.resolve(undefined)
  }

  #of(from: string, turn: string): Carried | undefined {
    const carried = this.#carried.get(turn)
    return carried?.host === from ? carried : undefined
  }

  /** The host to ask first. If a conversation exists on another host, the asked host replies with that host's name. */
  #placeOf(pair: Pair): string {
    const { hostsOf, isAwake, leastLoaded } = this.#parts
    const named = partsOf(pair.to)!.host
    const hosts = hostsOf(pair.to)
    if (hosts.length < 2) return named
    const leader = this.#leaders.get(pairText(pair))
    return leader !== undefined && isAwake(leader) ? leader : (leastLoaded(hosts) ?? named)
  }

  /** Asks another host to continue the turn, unless the message is cancelled. */
  #goTo(carried: Carried, host: string): void {
    const { ask, host: before } = carried
    if (ask.cancelled.aborted) return
    carried.asked.add(host)
    this.#parts.moved('sent', ask.facts.pair, before, host)
    Object.assign(carried, { host, isTaken: false, next: 0 })
    this.#askedHosts.keep(ask.id, ask.facts.pair.to, host)
    carried.on.awaits({})
    this.#again(carried)
  }

  /** Sends the ask under a new id, because the mailbox has already had a letter with the old one, or has lost it. */
  #again(carried: Carried): void {
    carried.repeats += 1
    carried.nudge.abort()
  }

  /** If another host has the team too, Iris does not keep waiting for a host that falls asleep. */
  #watchHost(carried: Carried): () => void {
    const { clock, hostsOf, isAwake, leastLoaded } = this.#parts
    const hosts = hostsOf(carried.ask.facts.pair.to)
    if (hosts.length < 2) return () => {}
    let cancelTimer = (): void => {}
    let wasAwake = true
    const look = (): void => {
      const isThere = isAwake(carried.host)
      const next = isThere || carried.waits ? undefined : leastLoaded(hosts)
      if (next !== undefined) this.#goTo(carried, next)
      // Iris was waiting for this host, which is now back.
      if (carried.waits && isThere && !wasAwake) this.#again(carried)
      wasAwake = isThere
      cancelTimer = clock.machine.after(lookEveryMs, look)
    }
    look()
    return () => cancelTimer()
  }

  #textOf(ask: RemoteAsk, host: string): string {
    const { traces, fullName, readsKnown } = this.#parts
    const known = this.#known.of(ask.id)
    // A host that already has the turn finds its row. A host that cannot read what is known about the turn refuses the
    // ask.
    const isFor = known !== undefined && (readsKnown(host) || known.host !== host)
    return JSON.stringify(askLetter(ask, traces.of(ask.id), fullName, isFor ? known : undefined))
  }

  async #cancel(carried: Carried): Promise<void> {
    const { ask, asked, host, over } = carried
    const { clock, cancels } = this.#parts
    const why = ask.cancelled.reason as Cancellation
    if (carried.waits && why.reason === 'over_budget') return this.#giveUp(carried, ` ${why.detail}`)
    const heard = cancels.add(ask.id, asked, why.detail).then(async (isSent) => {
      // A turn that no host has accepted has most likely not started, and its letter is still in the mailbox.
      if (isSent && carried.isTaken) await pause(clock.machine, cancelGraceMs)
    })
    await Promise.race([heard, over.promise])
    over.resolve({ ...endedBy(why, ''), detail: `${why.detail} ${host} has not said how far it got.`, ...nothingElse })
  }
}
