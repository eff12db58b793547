import { jetstream } from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Directory } from '../../core/cluster/ports.ts'
import { streamThere } from './stream-there.ts'

const bucket = 'iris_hosts'

/** The directory is a key-value bucket with a key for each host, which NATS lets that host alone write. */
export class NatsDirectory implements Directory {
  readonly #buckets: Kvm
  readonly #self: string
  readonly #replicas: number
  #entries: KV
  #seen: ((host: string, entry: string) => void) | undefined
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
    if (!isThere) await this.#buckets.create(bucket, { replicas: this.#replicas })
    // Otherwise an entry is read in a way for which a host has no right.
    this.#entries = await this.#buckets.open(bucket, { allow_direct: true })
    if (this.#seen) await this.#watch(this.#seen)
    return isThere !== false
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

  async #watch(seen: (host: string, entry: string) => void): Promise<void> {
    this.#stopWatch()
    const entries = await this.#entries.watch()
    this.#stopWatch = () => entries.stop()
    void (async () => {
      for await (const entry of entries) if (entry.operation === 'PUT') seen(entry.key, entry.string())
    })()
  }
}
