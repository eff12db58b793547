import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Keeping } from '../../../platform/config/keeper-file.ts'
import type { KeptServers } from '../view.ts'
import { connectKeeper, type Place } from './connect.ts'
import {
  directoryStream,
  logStream,
  lookAt,
  mailboxStream,
  makeStream,
  restore,
  type Stream,
  whyOf,
} from './streams.ts'

export interface KeeperParts extends Omit<Place, 'credentials'> {
  readonly replicas: number
  /** What this host creates for all hosts; undefined if it is not the keeper. */
  readonly keeping: () => Promise<Keeping | undefined>
  /** Records that these streams exist, if that was not known before. */
  readonly noteMade: (names: readonly string[]) => Promise<void>
}

/** A description of what one check of the servers found. */
interface Kept extends KeptServers {
  /** What the servers had lost and the keeper therefore created again. */
  readonly lost: readonly string[]
}

/** Creates and checks what the servers need, for all hosts, with the credentials of the servers' administrator. */
export class Keeper {
  readonly #parts: KeeperParts
  #work: Promise<unknown> = Promise.resolve()
  #isKeeper = false

  constructor(parts: KeeperParts) {
    this.#parts = parts
  }

  /** Whether this host was the keeper at the last check. */
  get isKeeper(): boolean {
    return this.#isKeeper
  }

  /** Runs one check after the other. Undefined if this host is not the keeper. */
  check(): Promise<Kept | undefined> {
    const done = this.#work.then(() => this.#check())
    this.#work = done.catch(() => {})
    return done
  }

  async #check(): Promise<Kept | undefined> {
    const { keeping: read, ...place } = this.#parts
    let connection: NatsConnection | undefined
    try {
      const keeping = await read()
      this.#isKeeper = keeping !== undefined
      if (keeping === undefined) return undefined
      connection = await connectKeeper({ ...place, credentials: keeping.credentials })
      return await this.#checkAll(connection, keeping)
    } catch (error) {
      return {
        made: [],
        changed: [],
        lost: [],
        problems: [`the keeper cannot look after the servers: ${whyOf(error)}`],
      }
    } finally {
      await connection?.close().catch(() => {})
    }
  }

  async #checkAll(connection: NatsConnection, keeping: Keeping): Promise<Kept> {
    const manager = await jetstreamManager(connection, { checkAPI: false })
    const kept = { made: [] as string[], changed: [] as string[], lost: [] as string[], problems: [] as string[] }
    const isThere: string[] = []
    for (const stream of this.#streams(keeping)) {
      const { name, what } = stream
      const isNew = await checkOne(connection, manager, stream).catch((error: unknown) => {
        kept.problems.push(`${what}: ${whyOf(error)}`)
        return undefined
      })
      if (isNew === undefined) continue
      isThere.push(name)
      if (isNew === 'made') (keeping.made.has(name) ? kept.lost : kept.made).push(what)
      if (isNew === 'changed') kept.changed.push(what)
    }
    await this.#parts.noteMade(isThere.filter((name) => !keeping.made.has(name)))
    return { ...kept, made: [...kept.lost, ...kept.made] }
  }

  #streams({ hosts, teams }: Keeping): readonly Stream[] {
    const { replicas } = this.#parts
    return [
      directoryStream(replicas),
      ...hosts.map((host) => mailboxStream(host, replicas)),
      ...teams.map((team) => logStream(team, replicas)),
    ]
  }
}

async function checkOne(
  connection: NatsConnection,
  manager: JetStreamManager,
  stream: Stream,
): Promise<'made' | 'changed' | 'there'> {
  const found = await lookAt(manager, stream)
  if (found === 'unknown') throw new Error("the keeper's user has no right to look at it")
  if (found === undefined) {
    await makeStream(connection, manager, stream)
    return 'made'
  }
  return (await restore(manager, found.config, stream)) ? 'changed' : 'there'
}
