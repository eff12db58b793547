import { resolve } from 'node:path'
import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Secrets } from '../../base/lib/secrets.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import { channelToken } from '../../platform/config/channel-token.ts'
import type { Config } from '../../platform/config/config.ts'
import { type Environment, expandTilde, homePaths } from '../../platform/config/home.ts'
import { keepingOf, noteMade, sharedTeams } from '../../platform/config/keeper-file.ts'
import type { LiveConfig } from '../../platform/config/live-config.ts'
import type { Cluster } from './cluster.ts'
import { believeInvited, sealIn } from './cluster-key.ts'
import { keeperAmong } from './known-host.ts'
import type { ClusterLinkState, KeptServers } from './view.ts'

export interface ClusterLinkParts {
  readonly live: Pick<LiveConfig, 'current'>
  readonly env: Environment
  readonly clock: Clock
  readonly log: Log
  readonly secrets: Secrets
  readonly cluster: Cluster
  readonly publish: (event: IrisEvent) => void
}

interface Link {
  readonly state: ClusterLinkState
  readonly isOpen: boolean
  readonly keeper: string | undefined
  look(): void
  keep(): Promise<KeptServers | undefined>
  roundTripMs(): Promise<number | undefined>
  end(): Promise<void>
}

/** Connects this host to the others, if its configuration says so. The code for NATS is loaded only then. */
export class ClusterLink {
  readonly #parts: ClusterLinkParts
  /** The configuration at the start. Connecting to another cluster requires a restart. */
  readonly #config: Config
  #link: Link | undefined
  #publicKey: string | undefined
  #work: Promise<void> = Promise.resolve()
  #refused: ClusterLinkState | undefined

  constructor(parts: ClusterLinkParts) {
    this.#parts = parts
    this.#config = parts.live.current()
  }

  get state(): ClusterLinkState {
    return this.#refused ?? this.#link?.state ?? { state: 'off' }
  }

  get isOpen(): boolean {
    return this.#link?.isOpen === true
  }

  get keeper(): string | undefined {
    return this.#link?.keeper
  }

  /** Creates what is missing on the servers. Undefined if this host is not the keeper. */
  async keepServers(): Promise<KeptServers | undefined> {
    await this.#work
    return this.#link?.keep()
  }

  get publicKey(): string | undefined {
    return this.#publicKey
  }

  async roundTripMs(): Promise<number | undefined> {
    return this.#link?.roundTripMs()
  }

  begin(): void {
    if (this.#config.cluster === undefined) return
    this.#work = this.#begin().catch((error: unknown) => {
      this.#refused = { state: 'refused', why: String(error) }
      this.#parts.log.error(`this host is not joined with others: ${String(error)}`)
    })
  }

  settingsChanged(): void {
    this.#parts.cluster.settingsChanged()
    // The new configuration may share another team.
    this.#link?.look()
  }

  async end(): Promise<void> {
    await this.#work
    this.#parts.cluster.end()
    await this.#link?.end()
  }

  async #begin(): Promise<void> {
    const { env, clock, log, secrets, cluster, live, publish } = this.#parts
    const config = this.#config
    const { servers, name: self, credentials: file, ca, replicas } = config.cluster!
    const found = file === undefined ? undefined : await channelToken({ tokenFile: file }, config.home, env)
    if (found && 'problem' in found) throw new Error(found.problem)
    const credentials = found?.token
    const hide = (text: string): void => secrets.add([text, text.slice(text.indexOf(':') + 1)])
    if (credentials !== undefined) hide(credentials)
    const seal = sealIn(homePaths(config.home).clusterKey)
    this.#publicKey = seal.publicKey
    await believeInvited(homePaths(config.home).invitedKeys, cluster.hosts)
    const { NatsLink } = await import('./nats/nats-link.ts')
    this.#link = new NatsLink({
      servers,
      self,
      replicas,
      credentials,
      clock,
      log,
      ca: ca === undefined ? undefined : resolve(config.home, expandTilde(ca, env)),
      join: (network) => cluster.join(self, seal, network),
      connected: () => cluster.connected(),
      keeping: async () => {
        const keeping = await keepingOf(live.current())
        if (keeping) hide(keeping.credentials)
        return keeping
      },
      noteMade: (names) => noteMade(config.home, names),
      sharedTeams: () => sharedTeams(live.current()),
      otherKeeper: () => keeperAmong(cluster.hosts.all()),
      lost: (what) => publish({ type: 'servers-lost', what }),
    })
  }
}
