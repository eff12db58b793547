import { jetstream } from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Directory, HostEntry } from '../../core/cluster/ports.ts'

const bucket = 'iris_hosts'

/** The directory is a key-value bucket with a key for each host, which NATS lets that host alone write. */
export class NatsDirectory implements Directory {
  readonly #entries: KV
  readonly #self: string

  private constructor(entries: KV, self: string) {
    this.#entries = entries
    this.#self = self
  }

  static async open(connection: NatsConnection, self: string, replicas: number): Promise<NatsDirectory> {
    const buckets = new Kvm(jetstream(connection))
    // Whoever is first makes it. A host may have no right to make it, where its owner did that before.
    const there = await buckets.open(bucket)
    const isThere = await there.status().then(
      () => true,
      () => false,
    )
    return new NatsDirectory(isThere ? there : await buckets.create(bucket, { replicas }), self)
  }

  async announce(entry: HostEntry): Promise<void> {
    await this.#entries.put(this.#self, JSON.stringify(entry))
  }

  async withdraw(): Promise<void> {
    await this.#entries.delete(this.#self)
  }

  async watch(seen: (host: string, entry: string | undefined) => void): Promise<void> {
    const entries = await this.#entries.watch()
    void (async () => {
      for await (const entry of entries) {
        seen(entry.key, entry.operation === 'PUT' ? entry.string() : undefined)
      }
    })()
  }
}
