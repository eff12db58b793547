import { jetstream } from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Directory } from '../../core/cluster/ports.ts'

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
    if (!(await isThere(await buckets.open(bucket)))) await buckets.create(bucket, { replicas })
    // Otherwise an entry is read in a way for which a host has no right.
    return new NatsDirectory(await buckets.open(bucket, { allow_direct: true }), self)
  }

  async announce(entry: string): Promise<void> {
    await this.#entries.put(this.#self, entry)
  }

  async own(): Promise<string | undefined> {
    const entry = await this.#entries.get(this.#self)
    return entry?.operation === 'PUT' ? entry.string() : undefined
  }

  async watch(seen: (host: string, entry: string) => void): Promise<void> {
    const entries = await this.#entries.watch()
    void (async () => {
      for await (const entry of entries) if (entry.operation === 'PUT') seen(entry.key, entry.string())
    })()
  }
}

function isThere(entries: KV): Promise<boolean> {
  return entries.status().then(
    () => true,
    () => false,
  )
}
