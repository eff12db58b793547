import { JetStreamApiError } from '@nats-io/jetstream'
import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import { type Clock, pause } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Network } from '../../core/cluster/ports.ts'
import type { ClusterLinkState } from '../../core/cluster/view.ts'
import { isOnLoopback } from '../../platform/config/nats-server-info.ts'
import { NatsDirectory } from './nats-directory.ts'
import { NatsLogs } from './nats-logs.ts'
import { mailboxBytes, NatsMailbox } from './nats-mailbox.ts'

export interface NatsLinkParts {
  readonly servers: readonly string[]
  /** The name of this host. */
  readonly self: string
  readonly replicas: number
  /** The text of a `.creds` file, or `user:password`; absent: none is asked for. */
  readonly credentials?: string | undefined
  /** The file with the certificate that signed those of the servers, PEM; absent: the authorities that Node knows. */
  readonly ca?: string | undefined
  readonly clock: Clock
  readonly log: Log
  /** Called once, when the servers can be used. */
  readonly join: (network: Network) => Promise<void>
  /** Called when they can be used again after a break. */
  readonly connected: () => void
}

const firstPauseMs = 250
const longestPauseMs = 5000
const longestRoundTripMs = 1000

/** The connection of this host to the NATS servers: made when they are there, and again after each break. */
export class NatsLink {
  readonly #parts: NatsLinkParts
  readonly #left = new AbortController()
  readonly #work: Promise<void>
  #connection: NatsConnection | undefined
  #mailbox: NatsMailbox | undefined
  #state: ClusterLinkState = { state: 'connecting' }
  /** What a server had lost when it came back, in words. */
  #lost: string | undefined

  constructor(parts: NatsLinkParts) {
    this.#parts = parts
    this.#work = this.#begin()
  }

  get state(): ClusterLinkState {
    return this.#state
  }

  /** To the server and back; undefined: it does not answer. */
  async roundTripMs(): Promise<number | undefined> {
    if (this.#state.state !== 'connected') return undefined
    const late = pause(this.#parts.clock, longestRoundTripMs).then(() => undefined)
    return Promise.race([this.#connection?.rtt().catch(() => undefined), late])
  }

  /** The server asks for no login, and other machines can reach it. */
  get isOpen(): boolean {
    const { info } = this.#connection ?? {}
    return info !== undefined && !info.auth_required && !isOnLoopback(`nats://${this.#connection!.getServer()}`)
  }

  async end(): Promise<void> {
    this.#left.abort()
    this.#mailbox?.end()
    // What was sent last goes out; a server that is away is not waited for.
    await Promise.race([this.#connection?.flush().catch(() => {}), pause(this.#parts.clock, 500)])
    await this.#connection?.close().catch(() => {})
    await this.#work
  }

  async #begin(): Promise<void> {
    const { clock, log } = this.#parts
    for (let pauseMs = firstPauseMs; !this.#left.signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        await this.#join()
        return
      } catch (error) {
        await this.#connection?.close().catch(() => {})
        if (this.#left.signal.aborted) return
        const why = whyOf(error)
        if (!('why' in this.#state) || this.#state.why !== why) log.warn(`the other hosts cannot be reached: ${why}`)
        this.#state = { state: 'unreachable', why }
        await pause(clock, pauseMs, this.#left.signal)
      }
    }
  }

  async #join(): Promise<void> {
    const { servers, self, replicas, credentials, ca, join, log } = this.#parts
    const connection = await connect({
      ...{ servers: [...servers], name: `iris ${self}`, inboxPrefix: `_INBOX_${self}`, timeout: 5000 },
      ...{ maxReconnectAttempts: -1, reconnectTimeWait: 250, pingInterval: 10_000, ignoreAuthErrorAbort: true },
      ...encryption(servers, ca),
      ...authentication(credentials),
    })
    this.#connection = connection
    const onTrouble = (what: string): void => log.debug(what)
    const mailbox = await NatsMailbox.open({ connection, self, replicas, onTrouble })
    this.#mailbox = mailbox
    const directory = await NatsDirectory.open(connection, self, replicas)
    await join({ mailbox, directory, logs: new NatsLogs(connection, replicas) })
    this.#state = { state: 'connected' }
    log.info(`joined with other hosts as ${self}`, { server: connection.getServer() })
    void this.#watch(connection, mailbox, directory)
  }

  async #watch(connection: NatsConnection, mailbox: NatsMailbox, directory: NatsDirectory): Promise<void> {
    const { connected } = this.#parts
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') this.#state = { state: 'unreachable', why: 'the server has closed the connection' }
      if (type !== 'reconnect') continue
      // A server that lost its files has no mailboxes any more, and no directory.
      const mails = await this.#again('the mailbox of this host', () => mailbox.make())
      const hosts = await this.#again('the directory of the hosts', () => directory.make())
      this.#lost = [mails, hosts].filter((each) => each !== undefined).join('; ') || this.#lost
      this.#state = { state: 'connected', ...(this.#lost && { lost: this.#lost }) }
      connected()
    }
  }

  /** What to say of it; undefined: it was there. */
  async #again(what: string, make: () => Promise<boolean>): Promise<string | undefined> {
    const { log, clock } = this.#parts
    const at = new Date(clock.now()).toISOString()
    const said = await make().then(
      (wasThere) => (wasThere ? undefined : `${at}: the server had lost ${what}, which was made again`),
      (error: unknown) => `${at}: ${what} could not be made again: ${whyOf(error)}`,
    )
    if (said !== undefined) log.warn(said)
    return said
  }
}

/** The library encrypts where a server offers it, so an attacker between the two would only have to offer nothing. */
function encryption(servers: readonly string[], ca: string | undefined) {
  if (!servers.some((url) => url.startsWith('tls://'))) return {}
  return { tls: ca === undefined ? {} : { caFile: ca } }
}

function authentication(credentials: string | undefined) {
  if (credentials === undefined) return {}
  if (credentials.includes('BEGIN NATS USER JWT'))
    return { authenticator: credsAuthenticator(new TextEncoder().encode(credentials)) }
  const [user = '', ...pass] = credentials.split(':')
  return { user, pass: pass.join(':') }
}

/** The server has not so much room as it would reserve. */
const noRoom = new Set([10_023, 10_047])

function whyOf(error: unknown): string {
  if (error instanceof JetStreamApiError && noRoom.has(error.code)) {
    const what = `the NATS server has no room for the mailbox of this host, which reserves ${mailboxBytes / 2 ** 20} MB`
    return `${what}: raise jetstream.max_file_store in its configuration, or free its disk`
  }
  return error instanceof Error ? error.message : String(error)
}
