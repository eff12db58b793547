import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { RecentLog } from '../../base/lib/recent-log.ts'
import type { Secrets } from '../../base/lib/secrets.ts'
import type { ChannelCheckpoint } from '../../features/channels/parts.ts'
import type { BrowserLogins } from '../../features/operator/contract/logins.ts'
import type { Tokens } from '../../features/tokens/tokens.ts'
import type { HostsParts, TunnelsParts } from '../../kernel/pool/hosts.ts'
import type { OpenedStore } from '../../kernel/rebuild/open-store.ts'
import type { OrchestratorParts } from '../../kernel/recover/parts.ts'
import type { LiveConfig } from '../../platform/config/live-config.ts'
import type { System } from '../../platform/machine/machine.ts'

/** Everything that a daemon gets from outside: configuration, time, chance and its computer. */
export interface Surroundings {
  readonly live: LiveConfig
  readonly clock: Clock
  readonly log: Log
  /** Where the log's entries can be read again. */
  readonly recentLog: RecentLog
  /** Known values of secrets, which are hidden in logs and answers. */
  readonly secrets: Secrets
  /** The daemon's environment; processes get only the variables that are allowed by name. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly at: OrchestratorParts['at']
  /** Memory still available to processes, in bytes. */
  readonly availableMemory: () => number
  /** The computer that Iris runs on. */
  readonly system: System
  /** Starts a program here that connects to another machine. */
  readonly startClient: HostsParts['startClient']
  /** Called at each checkpoint of a chat's message and answer. */
  readonly atChat?: ((checkpoint: ChannelCheckpoint) => void) | undefined
  /** Makes a new UUID. */
  readonly newId: () => string
  /** A random number from 0 to below 1. */
  readonly random: () => number
}

/** `Surroundings` with the opened store and the network. */
export interface Composed extends Surroundings, OpenedStore {
  /** Tags every process that this Iris starts. */
  readonly irisTag: string
  /** Tags every process that this run of the daemon starts. */
  readonly life: string
  readonly browserLogins: BrowserLogins
  readonly tokens: Tokens
  /** The daemon's port, once it listens. */
  readonly port: () => number
  readonly homeExposed: () => void
  /** Serves connections from another machine at a Unix socket. */
  readonly serveTunnel: TunnelsParts['serve']
}
