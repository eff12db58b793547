import { jetstream } from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Directory, HostEntry } from '../../core/cluster/ports.ts'
import { streamThere } from './stream-there.ts'

const bucket = 'iris_hosts'

/** The directory is a key-value bucket with a key for each host, which NATS lets that host alone write. */
export class NatsDirectory implements Directory {
  readonly #buckets: Kvm
  readonly #self: string
  readonly #replicas: number
  #entries: KV
  #seen: ((host: string, entry: string | undefined) => void) | undefined
  #stopWatch = (): void => {}

  private constructor(buckets: Kvm, entries: KV, self: string, replicas: number) {
    this.#buckets = buckets
    this.#entries = entries
    this.#self = self
    this.#replicas = replicas
  }

  static async open(connection: NatsConnection, self: string, replicas: number): Promise<NatsDirectory> {
    const buckets = new Kvm(jetstream(connection))
    const directory = new NatsDirectory(buckets, await buckets.open(bucket), self, replicas)
    await directory.make()
    return directory
  }

  /**
   * Makes the bucket if it is missing, as on a server that lost its files, and watches it from the beginning: a watch of
   * the former bucket hears nothing of this one. False: it was missing.
   */
  async make(): Promise<boolean> {
    this.#entries = await this.#buckets.open(bucket)
    const isThere = await streamThere(this.#entries.status())
    // Whoever is first makes it. A host may have no right to make it, where its owner did that before.
    if (!isThere) this.#entries = await this.#buckets.create(bucket, { replicas: this.#replicas })
    if (this.#seen) await this.#watch(this.#seen)
    return isThere !== false
  }

  async announce(entry: HostEntry): Promise<void> {
    await this.#entries.put(this.#self, JSON.stringify(entry))
  }

  async withdraw(): Promise<void> {
    await this.#entries.delete(this.#self)
  }

  async watch(seen: (host: string, entry: string | undefined) => void): Promise<void> {
    this.#seen = seen
    await this.#watch(seen)
  }

  async #watch(seen: (host: string, entry: string | undefined) => void): Promise<void> {
    this.#stopWatch()
    const entries = await this.#entries.watch()
    this.#stopWatch = () => entries.stop()
    void (async () => {
      for await (const entry of entries) {
        seen(entry.key, entry.operation === 'PUT' ? entry.string() : undefined)
      }
    })()
  }
}
