import { type Clock, pause } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { type Pair, pairText } from '../../base/protocol/pair.ts'
import type { Cancellation } from '../../base/protocol/turn.ts'
import type { AskElsewhere, AwaitedThere, Elsewhere, EndElsewhere } from '../orchestrator/elsewhere.ts'
import { endedBy } from '../orchestrator/verdict.ts'
import { askLetter } from './ask-letter.ts'
import { AskedHosts, type AskedHostsParts } from './asked-hosts.ts'
import type { Cancels } from './cancels.ts'
import { partsOf } from './host-names.ts'
import { type EndLetter, readLines } from './letters.ts'
import type { Moved } from './moves.ts'
import type { Letter } from './ports.ts'

export interface OutgoingParts {
  readonly clock: Clock
  readonly log: Log
  /** Resolves when the letter is kept. Rejects while there is no way to the other host. */
  readonly send: (to: string, letter: Letter, id: string) => Promise<void>
  readonly cancels: Pick<Cancels, 'add'>
  readonly rows: AskedHostsParts['rows']
  readonly newId: () => string
  /** The hosts that have the team of this name, the one that it names first. */
  readonly hostsOf: (team: string) => readonly string[]
  /** Whether a host that is asked may say that this one leads a conversation with the team. */
  readonly mayLead: (host: string, team: string) => boolean
  readonly moved: Moved
  readonly traces: Pick<Traces, 'of'>
  readonly isAwake: (host: string) => boolean
  readonly leastLoaded: (hosts: readonly string[]) => string | undefined
  /** A team's name as all hosts know it. */
  readonly fullName: (team: string) => string
}

/** The traces to which turns belong; nothing where Iris sends none. */
export interface Traces {
  /** The span of this turn, as the parent of what it causes elsewhere. */
  of(turn: string): string | undefined
  /** The turn came with this traceparent. */
  note(turn: string, traceparent: string): void
}

interface Carried {
  readonly ask: AskElsewhere
  /** Changes when another host goes on with the conversation. */
  host: string
  /** All hosts that may have the ask. */
  readonly asked: Set<string>
  readonly on: Parameters<Elsewhere['carry']>[1]
  readonly over: PromiseWithResolvers<EndElsewhere | undefined>
  /** Aborted to send again at once. */
  nudge: AbortController
  isTaken: boolean
  /** How often it was sent to a host again: a mailbox keeps a letter of the same id only once. */
  repeats: number
  /** The number of the next text of lines. After a lost one the rest is not shown. */
  next: number
}

const firstPauseMs = 1000
/** An ask is repeated until its host has it; then less often, in case the end was lost. */
const longestPauseMs = 60_000
/** How often the host is looked for that goes on with a conversation. */
const lookEveryMs = 500
/** How long a cancelled turn waits for its host to say how it ended there. */
const cancelGraceMs = 10_000

/** The asker's side: turns that other hosts answer. The ledger has them, so this is rebuilt at each start. */
export class Outgoing {
  readonly #parts: OutgoingParts
  readonly #carried = new Map<string, Carried>()
  /** Who answered last in conversations that several hosts may lead. The logs know it for certain. */
  readonly #leaders = new Map<string, string>()
  /** A part of the ids of letters: for two minutes a mailbox drops an id that it has had, also over a restart. */
  readonly #run: string
  readonly #askedHosts: AskedHosts
  #ended = false

  constructor(parts: OutgoingParts) {
    this.#parts = parts
    this.#run = parts.newId()
    this.#askedHosts = new AskedHosts(parts)
  }

  /** Whether this host waits for the turn's end. */
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

  /** Ends a turn that would never end. */
  refuse(turn: string, detail: string): void {
    const carried = this.#carried.get(turn)
    if (carried === undefined) return
    void this.#parts.cancels.add(turn, carried.asked, detail)
    carried.over.resolve(refusedHere(detail))
  }

  /** How many turns wait for this host's answer, and since when the oldest one. */
  waitingFor(host: string): { readonly count: number; readonly since: number | undefined } {
    const waiting = [...this.#carried.values()].filter((each) => each.host === host)
    const times = waiting.map(({ ask }) => ask.facts.acceptedAt)
    return { count: waiting.length, since: times.length === 0 ? undefined : Math.min(...times) }
  }

  /** Whether this host may have a turn that this one waits for. */
  asks(host: string): boolean {
    return [...this.#carried.values()].some(({ asked }) => asked.has(host))
  }

  async carry(ask: AskElsewhere, on: Parameters<Elsewhere['carry']>[1]): Promise<EndElsewhere | undefined> {
    if (this.#ended) return undefined
    const before = this.#askedHosts.before(ask.id)
    // A host that has the team no more need not be waited for.
    const stillHas = (name: string): boolean => this.#parts.hostsOf(ask.facts.pair.to).includes(name)
    const host = before.findLast(stillHas) ?? this.#placeOf(ask.facts.pair)
    const over = Promise.withResolvers<EndElsewhere | undefined>()
    const carried: Carried = {
      ...{ ask, host, asked: new Set([...before, host]), on, over, nudge: new AbortController() },
      ...{ isTaken: false, repeats: 0, next: 0 },
    }
    this.#carried.set(ask.id, carried)
    if (before.length === 0) this.#askedHosts.keep(ask.id, ask.facts.pair.to, host)
    const cancel = (): void => void this.#cancel(carried)
    if (ask.cancelled.aborted) cancel()
    else ask.cancelled.addEventListener('abort', cancel)
    void this.#repeat(carried)
    const watchNoMore = this.#watchHost(carried)
    try {
      const end = await over.promise
      if (end !== undefined) this.#askedHosts.forget(ask.id)
      return end
    } finally {
      ask.cancelled.removeEventListener('abort', cancel)
      this.#carried.delete(ask.id)
      watchNoMore()
      carried.nudge.abort()
    }
  }

  /** There is a connection again. */
  connected(): void {
    for (const { nudge } of this.#carried.values()) nudge.abort()
  }

  /** The host has committed the turn, which may wait there. Returns whether this host still waits for it. */
  taken(from: string, turn: string, awaited: AwaitedThere = {}): boolean {
    const carried = this.#of(from, turn)
    if (carried === undefined) return false
    if (!carried.isTaken) carried.on.took()
    carried.on.awaits(awaited)
    carried.isTaken = true
    if (this.#parts.hostsOf(carried.ask.facts.pair.to).length > 1)
      this.#leaders.set(pairText(carried.ask.facts.pair), from)
    return true
  }

  /** Another host leads the conversation. Where that one sleeps, the one that does not know it yet is asked again. */
  moved(from: string, turn: string, to: string): void {
    const carried = this.#of(from, turn)
    if (carried === undefined || !this.#parts.mayLead(to, carried.ask.facts.pair.to)) return
    if (this.#parts.isAwake(to)) return this.#goTo(carried, to)
    carried.repeats += 1
    this.#parts.clock.machine.after(firstPauseMs, () => carried.nudge.abort())
  }

  /**
   * The end of a turn, as a host says that has it or may have it. After a restart it is not always the one that is asked
   * at the moment. A refusal counts only from that one: the turn may run at another host.
   */
  settled(from: string, turn: string, end: EndLetter): void {
    const carried = this.#carried.get(turn)
    if (carried === undefined) return
    const { asked, ask, host, over } = carried
    const mayHaveIt = asked.has(from) || this.#parts.hostsOf(ask.facts.pair.to).includes(from)
    if (from === host || (mayHaveIt && end.reason !== 'refused')) over.resolve(end)
  }

  /** Lines of a running turn. False: they cannot be read, or are out of bounds. */
  heard(from: string, text: string): boolean {
    const { value } = readLines(text)
    const carried = value && this.#of(from, value.turn)
    if (carried === undefined || value!.n !== carried.next) return value !== undefined
    carried.next += 1
    for (const line of value!.lines) carried.on.hear(line)
    return true
  }

  /** Leaves what is under way to the next start. */
  end(): void {
    this.#ended = true
    for (const { over } of this.#carried.values()) over.resolve(undefined)
  }

  #of(from: string, turn: string): Carried | undefined {
    const carried = this.#carried.get(turn)
    return carried?.host === from ? carried : undefined
  }

  /** The host that is asked first. A conversation that exists stays where it is: that host says so. */
  #placeOf(pair: Pair): string {
    const { hostsOf, isAwake, leastLoaded } = this.#parts
    const named = partsOf(pair.to)!.host
    const hosts = hostsOf(pair.to)
    if (hosts.length < 2) return named
    const leader = this.#leaders.get(pairText(pair))
    return leader !== undefined && isAwake(leader) ? leader : (leastLoaded(hosts) ?? named)
  }

  /** Nobody goes on with a cancelled message. */
  #goTo(carried: Carried, host: string): void {
    const { ask, host: before } = carried
    if (ask.cancelled.aborted) return
    carried.asked.add(host)
    this.#parts.moved('sent', ask.facts.pair, before, host)
    Object.assign(carried, { host, isTaken: false, next: 0, repeats: carried.repeats + 1 })
    this.#askedHosts.keep(ask.id, ask.facts.pair.to, host)
    carried.on.awaits({})
    carried.nudge.abort()
  }

  /** Where another host has the team too, one that falls asleep is not waited for. */
  #watchHost(carried: Carried): () => void {
    const { clock, hostsOf, isAwake, leastLoaded } = this.#parts
    const hosts = hostsOf(carried.ask.facts.pair.to)
    if (hosts.length < 2) return () => {}
    let cancelTimer = (): void => {}
    const look = (): void => {
      const next = isAwake(carried.host) ? undefined : leastLoaded(hosts)
      if (next !== undefined) this.#goTo(carried, next)
      cancelTimer = clock.machine.after(lookEveryMs, look)
    }
    look()
    return () => cancelTimer()
  }

  /** Under the id of its turn a mailbox keeps an ask once; a host that has it already says how far it is. */
  async #repeat(carried: Carried): Promise<void> {
    const { ask } = carried
    const { clock, log } = this.#parts
    let isOver = false
    void carried.over.promise.then(() => {
      isOver = true
    })
    let pauseMs = firstPauseMs
    for (let count = 0; !isOver && !ask.cancelled.aborted; count++) {
      const letter: Letter = { turn: ask.id, kind: 'ask', text: this.#textOf(ask) }
      try {
        const id = `${ask.id}:${this.#run}:${carried.repeats}`
        await this.#parts.send(carried.host, letter, carried.isTaken ? `${id}:${count}` : id)
        pauseMs = carried.isTaken ? longestPauseMs : Math.min(pauseMs * 2, longestPauseMs)
      } catch (error) {
        if (isTooLong(error)) return carried.over.resolve(refusedHere((error as Error).message))
        if (count === 0)
          log.warn(`a message waits for the way to ${carried.host}: ${String(error)}`, { turnId: ask.id })
      }
      if (isOver) return
      if (carried.nudge.signal.aborted) carried.nudge = new AbortController()
      await pause(clock.machine, pauseMs, carried.nudge.signal)
    }
  }

  #textOf(ask: AskElsewhere): string {
    const { traces, fullName } = this.#parts
    return JSON.stringify(askLetter(ask, traces.of(ask.id), fullName))
  }

  async #cancel(carried: Carried): Promise<void> {
    const { ask, asked, host, over } = carried
    const { clock, cancels } = this.#parts
    const why = ask.cancelled.reason as Cancellation
    const heard = cancels.add(ask.id, asked, why.detail).then(async (isSent) => {
      // What no host has taken has most likely not begun, and the mailbox has the letter.
      if (isSent && carried.isTaken) await pause(clock.machine, cancelGraceMs)
    })
    await Promise.race([heard, over.promise])
    over.resolve({ ...endedBy(why, ''), detail: `${why.detail} ${host} has not said how far it came.`, ...nothingElse })
  }
}

const nothingElse = { value: null, contextReset: null }

function isTooLong(error: unknown): boolean {
  return (error as { code?: string }).code === 'message_too_long'
}

function refusedHere(detail: string): EndElsewhere {
  const nothing = { answer: null, partial: null, usage: null, background: null, ...nothingElse }
  return { outcome: 'failed', reason: 'refused', detail, ...nothing }
}
