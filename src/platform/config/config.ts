import type { z } from 'zod'
import type { CallbackEntry } from './callbacks.ts'
import type { ChannelEntry } from './channels.ts'
import type { Cluster } from './cluster.ts'
import type { RoleEntry } from './roles.ts'
import type { Database, InsightEntry, Settings, TeamEntry } from './schema.ts'
import type { TriggerEntry } from './triggers.ts'

/** A checked configuration, with all defaults. Frozen all the way down. */
export interface Config {
  /** Iris's home, absolute. */
  readonly home: string
  /** Path of config.yaml. Without that file the configuration has no teams. */
  readonly file: string
  readonly settings: SettingsConfig
  /** `path` is absolute. */
  readonly database: DeepReadonly<z.output<typeof Database>>
  /** By name. A Map, because in an object, names such as `constructor` would seem to be teams. */
  readonly teams: ReadonlyMap<string, TeamConfig>
  /**
   * Teams that were removed while Iris was running, with their last settings. Iris still answers the messages that
   * these teams had accepted.
   */
  readonly formerTeams: ReadonlyMap<string, TeamConfig>
  /** The built-in roles, and those of config.yaml. See `roleOf`. */
  readonly roles: ReadonlyMap<string, Role>
  /** The chat channels through which people ask teams. */
  readonly channels: ReadonlyMap<string, ChannelConfig>
  /** The endpoints that receive the events of programs' messages. */
  readonly callbacks: ReadonlyMap<string, CallbackConfig>
  /** The external events that become messages. */
  readonly triggers: ReadonlyMap<string, TriggerConfig>
  /** The settings of Insight. */
  readonly insight: DeepReadonly<z.output<typeof InsightEntry>>
  /** How this host is connected with others; absent if it is not. */
  readonly cluster?: ClusterConfig
  /**
   * The directories that the file names but that cannot be used now, in the order of the file. Everything else works.
   */
  readonly unusable: readonly UnusableDirectory[]
}

/** A directory that cannot be used in the current state of the disk. Iris uses it as soon as it can be used. */
export interface UnusableDirectory {
  /** Such as `teams.backend.path`. */
  readonly key: string
  /** The team that cannot work because of this; absent if the directory is a root in `settings.allowedRoots`. */
  readonly team?: string
  /** A sentence that names the directory. */
  readonly what: string
  readonly remedy: string
}

export type ClusterConfig = DeepReadonly<z.output<typeof Cluster>>

/** Durations in milliseconds, except `archiveAfterDays` and `keepTurns`; `allowedRoots` are real paths. */
export type SettingsConfig = DeepReadonly<z.output<typeof Settings>>

/** The rights of an asker, which never exceed those of the answering team. */
export type Role = DeepReadonly<z.output<typeof RoleEntry>> & { readonly name: string }

/** A bot, and the team that answers the people who may talk to it. */
export type ChannelConfig = DeepReadonly<z.output<typeof ChannelEntry>> & { readonly name: string }

/** An endpoint to which Iris posts the events of messages that name it. */
export type CallbackConfig = DeepReadonly<z.output<typeof CallbackEntry>> & { readonly name: string }
/** The sender whose events become messages, and the team that gets them. */
export type TriggerConfig = DeepReadonly<z.output<typeof TriggerEntry>> & { readonly name: string }

export type TeamConfig = DeepReadonly<Omit<z.output<typeof TeamEntry>, 'path' | 'project'>> & {
  readonly name: string
  /** As written but with `~/` expanded, for display. */
  readonly path: string
  /**
   * With every link resolved, for the working directory of processes and for comparing directories. The same as `path`
   * if the directory is unusable.
   */
  readonly realPath: string
  /** Why nothing may run in the directory; absent if, as far as Iris knows, the directory can be used. */
  readonly unusable?: Pick<UnusableDirectory, 'what' | 'remedy'>
}

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T

/** Freezes plain objects and lists, all the way down. */
export function deepFreeze<T>(value: T): DeepReadonly<T> {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner)
    Object.freeze(value)
  }
  return value as DeepReadonly<T>
}

/** Object.freeze does not protect the entries of a Map, so this Map refuses every change. */
export function frozenMap<Key, Value>(entries: Iterable<readonly [Key, Value]>): ReadonlyMap<Key, Value> {
  const map = new Map(entries)
  const refuse = () => {
    throw new TypeError('this map is read only')
  }
  for (const name of ['set', 'delete', 'clear']) Object.defineProperty(map, name, { value: refuse })
  return Object.freeze(map)
}
