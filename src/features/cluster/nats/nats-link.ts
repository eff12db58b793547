import type { NatsConnection } from '@nats-io/transport-node'
import { type Clock, pause } from '../../../base/lib/clock.ts'
import type { Log } from '../../../base/lib/log.ts'
import type { SharedTeam } from '../../../platform/config/keeper-file.ts'
import { isOnLoopback } from '../../../platform/config/nats-server-info.ts'
import type { Network } from '../ports.ts'
import type { ClusterLinkState, KeptServers } from '../view.ts'
import { connectHost, type Place } from './connect.ts'
import { Keeper, type KeeperParts } from './keeper.ts'
import { type KeeperName, lackOfLogs, whyNotMade } from './lack.ts'
import { NatsDirectory } from './nats-directory.ts'
import { NatsLogs } from './nats-logs.ts'
import { NatsMailbox } from './nats-mailbox.ts'
import { eachHostMakes, NotMade, whyOf } from './streams.ts'

export interface NatsLinkParts extends Place, KeeperParts {
  readonly clock: Clock
  readonly log: Log
  /** Called once, when the servers are ready. */
  readonly join: (network: Network) => Promise<void>
  /** Called when the servers are ready again after a break. */
  readonly connected: () => void
  /** The other host that says that it is the keeper; undefined if no host says so. */
  readonly otherKeeper: () => string | undefined
  readonly sharedTeams: () => readonly SharedTeam[]
  /** Called when data that the servers had lost was created again. */
  readonly lost: (what: string) => void
}

const firstPauseMs = 250
const maxPauseMs = 5000
const maxRoundTripMs = 1000
const hourMs = 3_600_000
/** How soon a host that waits for the keeper checks again. */
const againMs = 2000
/** How soon a host checks again for the log of a team. */
const problemMs = 5000
/** How many lost streams are named at most. */
const maxNamed = 5

/** This host's connection to the NATS servers: made when they answer, and made again after each break. */
export class NatsLink {
  readonly #parts: NatsLinkParts
  readonly #keeper: Keeper
  readonly #left = new AbortController()
  readonly #work: Promise<void>
  #connection: NatsConnection | undefined
  #mailbox: NatsMailbox | undefined
  #state: ClusterLinkState = { state: 'connecting' }
  /** A description of what a server had lost when it came back. */
  #lost: string | undefined
  /** Whether there is no connection now. */
  #isCut = false
  /** Whether the connection has broken since the last check that found everything. */
  #isAgain = false
  /** Whether a check is due at once. */
  #isDue = false
  #waiting: AbortController | undefined

  constructor(parts: NatsLinkParts) {
    this.#parts = parts
    this.#keeper = new Keeper(parts)
    this.#work = this.#begin()
  }

  get state(): ClusterLinkState {
    return this.#state
  }

  /** The round-trip time to the server; undefined if it does not answer. */
  async roundTripMs(): Promise<number | undefined> {
    if (this.#state.state !== 'connected') return undefined
    const late = pause(this.#parts.clock, maxRoundTripMs).then(() => undefined)
    return Promise.race([this.#connection?.rtt().catch(() => undefined), late])
  }

  /** Whether the server requires no login although other machines can reach it. */
  get isOpen(): boolean {
    const { info } = this.#connection ?? {}
    return info !== undefined && !info.auth_required && !isOnLoopback(`nats://${this.#connection!.getServer()}`)
  }

  async end(): Promise<void> {
    this.#left.abort()
    this.#mailbox?.end()
    // Flushes pending output, without waiting for an unreachable server.
    await Promise.race([this.#connection?.flush().catch(() => {}), pause(this.#parts.clock, 500)])
    await this.#connection?.close().catch(() => {})
    await this.#work
  }

  /** The host that creates what the servers need; undefined if none is known, or if every host creates it. */
  get keeper(): string | undefined {
    return this.#keeper.isKeeper ? this.#parts.self : this.#parts.otherKeeper()
  }

  /** Creates what is missing on the servers. Undefined if this host is not the keeper. */
  async keep(): Promise<KeptServers | undefined> {
    const kept = await this.#keeper.check()
    this.look()
    return kept
  }

  /** Schedules a check of the servers, because something may have changed. */
  look(): void {
    this.#isDue = true
    this.#waiting?.abort()
  }

  async #begin(): Promise<void> {
    const { clock } = this.#parts
    for (let pauseMs = firstPauseMs; !this.#left.signal.aborted; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      try {
        await this.#join()
        return
      } catch (error) {
        const why = await this.#whyOf(error)
        await this.#connection?.close().catch(() => {})
        if (this.#left.signal.aborted) return
        this.#cannotReach(why)
        await pause(clock, error instanceof NotMade ? Math.min(pauseMs, againMs) : pauseMs, this.#left.signal)
      }
    }
  }

  async #join(): Promise<void> {
    const { self, replicas, join, log } = this.#parts
    const connection = await connectHost(this.#parts)
    this.#connection = connection
    const kept = await this.#keeper.check()
    this.#noteLost(kept?.lost ?? [])
    const onTrouble = (what: string): void => log.debug(what)
    const mailbox = await NatsMailbox.open({ connection, self, replicas, onTrouble })
    this.#mailbox = mailbox
    const directory = await NatsDirectory.open(connection, self, replicas)
    const logs = new NatsLogs(connection, replicas)
    await join({ mailbox, directory, logs, isKeeper: () => this.#keeper.isKeeper })
    this.#state = { state: 'connected', ...(this.#lost && { lost: this.#lost }) }
    log.info(`joined with other hosts as ${self}`, { server: connection.getServer() })
    void this.#watch(connection)
    void this.#lookAfter(connection, mailbox, directory)
  }

  async #watch(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      this.#isCut = type === 'disconnect' || (this.#isCut && type !== 'reconnect')
      if (type === 'disconnect') this.#state = { state: 'unreachable', why: 'the server has closed the connection' }
      if (type !== 'reconnect') continue
      this.#isAgain = true
      this.look()
    }
  }

  /** Checks at once, after each reconnection and once an hour, or more often while something is missing. */
  async #lookAfter(connection: NatsConnection, mailbox: NatsMailbox, directory: NatsDirectory): Promise<void> {
    this.#isDue = true
    for (let untilNext = hourMs; ; ) {
      await this.#wait(untilNext)
      if (this.#left.signal.aborted || connection.isClosed()) return
      untilNext = this.#isCut ? hourMs : await this.#lookOnce(connection, mailbox, directory)
    }
  }

  async #wait(ms: number): Promise<void> {
    const waiting = new AbortController()
    this.#waiting = waiting
    const { clock } = this.#parts
    const signal = AbortSignal.any([waiting.signal, this.#left.signal])
    if (!this.#isDue) await pause(ms < hourMs ? clock.machine : clock, ms, signal)
    this.#isDue = false
  }

  /** Returns the time until the next check. */
  async #lookOnce(connection: NatsConnection, mailbox: NatsMailbox, directory: NatsDirectory): Promise<number> {
    const isAgain = this.#isAgain
    this.#isAgain = false
    try {
      const kept = await this.#keeper.check()
      // A server that lost its files no longer has mailboxes or a directory.
      const mails = await (isAgain ? mailbox.make() : mailbox.check())
      const hosts = await (isAgain ? directory.make() : directory.check())
      const own = [...(mails ? [] : ['the mailbox of this host']), ...(hosts ? [] : ['the directory of the hosts'])]
      const lost = kept === undefined ? own : kept.lost
      if (this.#left.signal.aborted) return hourMs
      this.#noteLost(lost)
      const problem = await this.#problem(connection, kept)
      if (this.#isCut) return hourMs
      this.#state = { state: 'connected', ...(this.#lost && { lost: this.#lost }), ...(problem && { problem }) }
      if (isAgain || lost.length > 0) this.#parts.connected()
      return problem === undefined ? hourMs : problemMs
    } catch (error) {
      this.#isAgain = true
      const why = await this.#whyOf(error)
      if (this.#isCut) return hourMs
      this.#cannotReach(why)
      return againMs
    }
  }

  /** What the keeper could not do, and the shared teams that have no log. */
  async #problem(connection: NatsConnection, kept: KeptServers | undefined): Promise<string | undefined> {
    const { sharedTeams, log } = this.#parts
    const lack = eachHostMakes(connection) ? undefined : await lackOfLogs(sharedTeams(), connection, this.#keeperName)
    const problem = [...(kept?.problems ?? []), ...(lack === undefined ? [] : [lack])].join('; ') || undefined
    const isNew = problem !== undefined && !('problem' in this.#state && this.#state.problem === problem)
    if (isNew) log.warn(problem)
    return problem
  }

  /** Logs a reason once. */
  #cannotReach(why: string): void {
    if (!('why' in this.#state) || this.#state.why !== why)
      this.#parts.log.warn(`the other hosts cannot be reached: ${why}`)
    this.#state = { state: 'unreachable', why }
  }

  #noteLost(lost: readonly string[]): void {
    if (lost.length === 0) return
    const { clock, lost: publish } = this.#parts
    const [some, more] = [lost.slice(0, maxNamed).join(', '), lost.length - maxNamed]
    const what = more > 0 ? `${some} and ${more} more` : some
    this.#lost = `${new Date(clock.now()).toISOString()}: the server had lost ${what}, which was created again`
    publish(what)
  }

  async #whyOf(error: unknown): Promise<string> {
    const isMissing = error instanceof NotMade && this.#connection !== undefined
    return isMissing ? whyNotMade(error, this.#connection!, this.#keeperName) : whyOf(error)
  }

  get #keeperName(): KeeperName {
    return { self: this.#parts.self, keeper: this.keeper }
  }
}
