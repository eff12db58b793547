import type { z } from 'zod'
import type { ChannelEntry } from './channels.ts'
import type { RoleEntry } from './roles.ts'
import type { Database, Settings, TeamEntry } from './schema.ts'

/** A checked configuration: complete, with every path absolute. Frozen all the way down. */
export interface Config {
  /** Iris's home, absolute. */
  readonly home: string
  /** The file that it came from, or would come from: an absent one is a configuration without teams. */
  readonly file: string
  readonly settings: SettingsConfig
  /** `path` is absolute. */
  readonly database: DeepReadonly<z.output<typeof Database>>
  /** By name; a Map, because `constructor` and its like are no teams. */
  readonly teams: ReadonlyMap<string, TeamConfig>
  /** Teams that were removed while Iris ran, as they were last: what they had accepted is still answered. */
  readonly formerTeams: ReadonlyMap<string, TeamConfig>
  /** What askers may have done: the built-in ones, and those of config.yaml. See `roleOf`. */
  readonly roles: ReadonlyMap<string, Role>
  /** Where people talk to teams. */
  readonly channels: ReadonlyMap<string, ChannelConfig>
}

/** Every duration in milliseconds; `allowedRoots` are real paths. */
export type SettingsConfig = DeepReadonly<z.output<typeof Settings>>

/** What an asker may have done, never more than the team that does it. */
export type Role = DeepReadonly<z.output<typeof RoleEntry>> & { readonly name: string }

/** A bot, and the team that answers whoever may talk to it. */
export type ChannelConfig = DeepReadonly<z.output<typeof ChannelEntry>> & { readonly name: string }

export type TeamConfig = DeepReadonly<Omit<z.output<typeof TeamEntry>, 'path' | 'project'>> & {
  readonly name: string
  /** As written, with `~/` replaced: what people are shown. */
  readonly path: string
  /** With every link resolved: where processes run, and what directories are compared with. */
  readonly realPath: string
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

/** Object.freeze leaves a Map's entries open; this one refuses to change. */
export function frozenMap<Key, Value>(entries: Iterable<readonly [Key, Value]>): ReadonlyMap<Key, Value> {
  const map = new Map(entries)
  const refuse = () => {
    throw new TypeError('this map is read only')
  }
  for (const name of ['set', 'delete', 'clear']) Object.defineProperty(map, name, { value: refuse })
  return Object.freeze(map)
}
