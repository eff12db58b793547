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
/** After this time, the server removes a consumer to which nobody listens. */
const unheardMs = 60_000
const nanosOfMs = 1_000_000

/** The directory is a key-value bucket with a key for each host, which only that host may write. */
export class NatsDirectory implements Directory {
  readonly #connection: NatsConnection
  readonly #buckets: Kvm
  readonly #self: string
  readonly #replicas: number
  #entries: KV
  /** When the bucket that this host watches was created; undefined if not known. */
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
   * Switches to the bucket and watches it from the beginning, because a watch of an earlier bucket does not cover this
   * one. On a server without users, creates the bucket if it is missing. Returns false if the earlier bucket was lost.
   * Throws `NotMade`.
   */
  async make(): Promise<boolean> {
    const stream = directoryStream(this.#replicas)
    const manager = await jetstreamManager(this.#connection, { checkAPI: false })
    const found = await lookAt(manager, stream)
    if (found === undefined && !eachHostMakes(this.#connection)) throw new NotMade(stream)
    const info = found ?? (await makeStream(this.#connection, manager, stream))
    // Without this option, the library would read an entry in a way for which a host has no right.
    this.#entries = await this.#buckets.open(bucket, { allow_direct: true })
    if (this.#seen) await this.#watch(this.#seen)
    const [before, created] = [this.#created, info === 'unknown' ? undefined : info.created]
    this.#created = created
    return found !== undefined && (before === undefined || before === created)
  }

  /** If the watched bucket is gone, switches to the new one. Returns and throws like `make`. */
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
   * The library's own watch removes its consumer when it ends, and a host with the right to do that could remove other
   * hosts' consumers. So this consumer is created by hand, and the server removes it once nobody listens any more.
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
    // If no heartbeats arrive, the server has lost the consumer. An entry that was lost is announced again within
    // seconds.
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
