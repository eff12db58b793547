import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import { createInbox, type Msg, type NatsConnection, nuid } from '@nats-io/transport-node'
import type { Directory } from '../ports.ts'
import { hostsBucket as bucket, directoryStream, eachHostMakes, lookAt, makeStream, NotMade } from './streams.ts'

/** The prefix of the subjects of entries. */
const prefix = `$KV.${bucket}.`
const heartbeatMs = 5000
/** How long a consumer may be silent before it counts as gone. */
const silentMs = 20_000
/** The server removes a consumer without listeners after this time. */
const unheardMs = 60_000
const nanosOfMs = 1_000_000

/** The directory is a key-value bucket with a key for each host, which only that host may write. */
export class NatsDirectory implements Directory {
  readonly #connection: NatsConnection
  readonly #buckets: Kvm
  readonly #self: string
  readonly #replicas: number
  #entries: KV
  /** When the bucket that this host watches was made; undefined: not known. */
  #created: string | undefined
  #seen: ((host: string, entry: string) => void) | undefined
  #stopWatch = (): void => {}

  private constructor(connection: NatsConnection, buckets: Kvm, entries: KV, self: string, replicas: number) {
    this.#connection = connection
    this.#buckets = buckets
    this.#entries = entries
    this.#self = self
    this.#replicas = replicas
  }

  static async open(connection: NatsConnection, self: string, replicas: number): Promise<NatsDirectory> {
    const buckets = new Kvm(jetstream(connection))
    const directory = new NatsDirectory(connection, buckets, await buckets.open(bucket), self, replicas)
    await directory.make()
    return directory
  }

  /**
   * Switches to the bucket and watches it from the beginning, because a watch of the earlier bucket does not cover this
   * one. On a server without users it creates a missing bucket. False: the earlier one was lost. Throws `NotMade`.
   */
  async make(): Promise<boolean> {
    const stream = directoryStream(this.#replicas)
    const manager = await jetstreamManager(this.#connection, { checkAPI: false })
    const found = await lookAt(manager, stream)
    if (found === undefined && !eachHostMakes(this.#connection)) throw new NotMade(stream)
    const info = found ?? (await makeStream(this.#connection, manager, stream))
    // Otherwise the library reads an entry in a way for which a host has no right.
    this.#entries = await this.#buckets.open(bucket, { allow_direct: true })
    if (this.#seen) await this.#watch(this.#seen)
    const [before, created] = [this.#created, info === 'unknown' ? undefined : info.created]
    this.#created = created
    return found !== undefined && (before === undefined || before === created)
  }

  /** Switches to a new bucket if the watched one is gone. Like `make`. */
  async check(): Promise<boolean> {
    const manager = await jetstreamManager(this.#connection, { checkAPI: false })
    const found = await lookAt(manager, directoryStream(this.#replicas))
    return found === 'unknown' || (found !== undefined && found.created === this.#created) || this.make()
  }

  async announce(entry: string): Promise<void> {
    await this.#entries.put(this.#self, entry)
  }

  async own(): Promise<string | undefined> {
    const entry = await this.#entries.get(this.#self)
    return entry?.operation === 'PUT' ? entry.string() : undefined
  }

  async watch(seen: (host: string, entry: string) => void): Promise<void> {
    this.#seen = seen
    await this.#watch(seen)
  }

  /**
   * The library's watch removes its consumer at its end, and with the right to do that a host could remove those of
   * others. So this one is made by hand, and the server removes it when nobody listens any more.
   */
  async #watch(seen: (host: string, entry: string) => void): Promise<void> {
    this.#stopWatch()
    const inbox = createInbox(`_INBOX_${this.#self}`)
    let heardAt = performance.now()
    const callback = (error: Error | null, message: Msg): void => {
      heardAt = performance.now()
      const isEntry = error === null && message.subject.startsWith(prefix) && !message.headers?.has('KV-Operation')
      if (isEntry) seen(message.subject.slice(prefix.length), message.string())
    }
    const subscription = this.#connection.subscribe(inbox, { callback })
    // Without heartbeats the server has lost the consumer. A single lost entry comes again within seconds.
    const again = (): void => {
      if (performance.now() - heardAt < silentMs) return
      heardAt = performance.now()
      if (!this.#connection.isClosed()) this.#watch(seen).catch(() => {})
    }
    const timer = setInterval(again, heartbeatMs).unref()
    this.#stopWatch = () => {
      clearInterval(timer)
      subscription.unsubscribe()
    }
    const manager = await jetstreamManager(this.#connection, { checkAPI: false })
    await manager.consumers.add(`KV_${bucket}`, {
      name: nuid.next(),
      deliver_subject: inbox,
      filter_subject: `${prefix}>`,
      ack_policy: AckPolicy.None,
      deliver_policy: DeliverPolicy.LastPerSubject,
      idle_heartbeat: heartbeatMs * nanosOfMs,
      inactive_threshold: unheardMs * nanosOfMs,
    })
  }
}
