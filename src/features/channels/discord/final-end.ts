import { SimpleShardingStrategy } from 'discord.js'
import type { WebSocket } from 'ws'
import type { WayOut } from '../../../base/lib/proxy-access.ts'
import { connectThrough, type ProxiedShard } from './gateway-through-proxy.ts'

type Manager = ConstructorParameters<typeof SimpleShardingStrategy>[0]

/** The private parts of the library's shard that Iris uses. */
interface Shard extends ProxiedShard {
  on(event: string, listener: () => void): unknown
  destroy(options?: { readonly recover?: unknown }): Promise<void>
  internalConnect(): Promise<void>
  readonly connection: WebSocket | null
}

/**
 * The library's connections, made to end for good. In the library, a shard that ends while it waits for HELLO or READY
 * begins to reconnect. The reconnection removes the handler on which the end depends, so `destroy` never resolves, and
 * the bot is connected again after half a second.
 */
export class FinalEnd extends SimpleShardingStrategy {
  readonly #isOver: () => boolean
  readonly #wayOut: WayOut | undefined

  constructor(manager: Manager, isOver: () => boolean, wayOut: WayOut | undefined) {
    super(manager)
    this.#isOver = isOver
    this.#wayOut = wayOut
  }

  get #shards(): readonly Shard[] {
    return [...(this['shards'] as ReadonlyMap<number, Shard>).values()]
  }

  override async spawn(ids: number[]): Promise<void> {
    if (this.#isOver()) throw new Error('the connection is no longer wanted')
    await super.spawn(ids)
    for (const shard of this.#shards) {
      // Without an agent, the library connects directly, whatever proxy the environment has for Node.js.
      if (this.#wayOut?.agent !== undefined) connectThrough(this.#wayOut.agent, shard)
      this.#guard(shard)
    }
  }

  override async destroy(options?: Parameters<SimpleShardingStrategy['destroy']>[0]): Promise<void> {
    const shards = this.#shards
    await super.destroy(options)
    for (const shard of shards) terminate(shard)
  }

  #guard(shard: Shard): void {
    const [destroy, connect] = [shard.destroy.bind(shard), shard.internalConnect.bind(shard)]
    shard.destroy = async (options) => {
      if (!this.#isOver() || options?.recover === undefined) await destroy(options)
    }
    shard.internalConnect = async () => {
      if (!this.#isOver()) await connect()
    }
    // The shard may have been about to connect when the connection ended.
    shard.on('hello', () => {
      if (this.#isOver()) terminate(shard)
    })
  }
}

function terminate({ connection }: Shard): void {
  if (connection === null) return
  // If the connection was not made yet, closing it raises an error.
  connection.onerror = () => {}
  connection.terminate()
}
