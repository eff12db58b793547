import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { ConfigChange } from '../../base/protocol/config-problem.ts'
import { changedPaths, changesBetween } from './changes.ts'
import type { Config } from './config.ts'
import { type FieldMetadata, metadataOf } from './field-metadata.ts'
import { type KeyPath, keyText } from './problem.ts'
import { plainTree } from './scalars.ts'
import { fieldAt, keysOf } from './shape.ts'
import { asEntry } from './team-rules.ts'

/**
 * The changes that saving would make, key by key. The texts must be masked, because the shown values come from them.
 */
export async function changesIn(
  before: Config,
  beforeText: string,
  after: Config,
  afterText: string,
): Promise<ConfigChange[]> {
  const { teamsAdded, teamsRemoved } = changesBetween(before, after)
  const [former, next] = [await plainTree(beforeText), await plainTree(afterText)]
  const changeOf = (path: KeyPath, dangerous: string | undefined): ConfigChange => ({
    key: keyText(path),
    from: valueAt(former, path) ?? defaultOf(path, before),
    to: valueAt(next, path) ?? defaultOf(path, after),
    needsRestart: metadataOf(fieldAt(path)!).restart === true,
    ...(dangerous !== undefined && { dangerous }),
  })
  const added = teamsAdded.map((name): KeyPath => ['teams', name])
  return [
    ...[...changedPaths(before, after), ...added].map((path) => changeOf(path, dangerAt(path, before, after))),
    // A team that is removed loses all rights, so its removal is not dangerous.
    ...teamsRemoved.map((name) => changeOf(['teams', name], undefined)),
  ]
}

function valueAt(tree: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>((value, key) => asEntry(value)?.[String(key)], tree)
}

/** The value of a key that is not in the file: a default, which is not a secret. */
function defaultOf(path: KeyPath, config: Config): unknown {
  const { teams, roles, channels, callbacks, triggers } = config
  const [section, name, key] = path.map(String)
  if (section === 'channels') return channels.get(name!) ?? null
  if (section === 'callbacks') return callbacks.get(name!) ?? null
  if (section === 'triggers') return triggers.get(name!) ?? null
  if (section === 'roles') return roles.get(name!) ?? null
  if (section === 'teams' && key === undefined) return null
  const part = section === 'teams' ? teams.get(name!) : plainSection(section, config)
  return asEntry(part)?.[key ?? name!] ?? null
}

/** The values of a section whose keys are fixed. */
function plainSection(section: unknown, { settings, database, insight, cluster }: Config): object {
  if (section === 'cluster') return cluster ?? {}
  return section === 'settings' ? settings : section === 'insight' ? insight : database
}

/**
 * Why this change is not allowed over HTTP; undefined if it is allowed. `path` names a whole key of a section or team.
 */
function dangerAt(path: KeyPath, before: Config, after: Config): string | undefined {
  return dangerOf(fieldAt(path), effective(path, before), effective(path, after))
}

function dangerOf(field: z.ZodType | undefined, before: unknown, after: unknown): string | undefined {
  if (field === undefined || isDeepStrictEqual(before, after)) return undefined
  const { dangerous, harmless } = metadataOf(field)
  if (dangerous !== undefined) return isHarmless(harmless, before, after) ? undefined : dangerous
  const names = new Set([...Object.keys(asEntry(before) ?? {}), ...Object.keys(asEntry(after) ?? {})])
  const dangers = [...names].map((name) =>
    dangerOf(innerField(field, name), asEntry(before)?.[name], asEntry(after)?.[name]),
  )
  return dangers.find((danger) => danger !== undefined)
}

function isHarmless(harmless: FieldMetadata['harmless'], before: unknown, after: unknown): boolean {
  if (harmless === undefined) return false
  if (harmless === 'fewer') return includesAll(before, after)
  if (harmless === 'more') return includesAll(after, before)
  const [from, to] = [before, after].map((value) => harmless.indexOf(value as string))
  return to !== undefined && from !== undefined && to >= 0 && to <= from
}

function includesAll(whole: unknown, part: unknown): boolean {
  const [items, wanted] = [whole, part].map((list) => (Array.isArray(list) ? list : []))
  return wanted!.every((item) => items!.includes(item))
}

/** The value in force: a team without the key gets the value in `settings`. */
function effective([section, name, key]: KeyPath, config: Config): unknown {
  const { settings, teams, roles, channels, callbacks, triggers } = config
  if (section === 'channels') return channels.get(String(name))
  if (section === 'callbacks') return callbacks.get(String(name))
  if (section === 'triggers') return triggers.get(String(name))
  if (section === 'roles') return roles.get(String(name))
  if (section !== 'teams') return asEntry(plainSection(section, config))?.[String(name)]
  const team = asEntry(teams.get(String(name)))
  if (key === undefined) return team
  // Includes the real path, because a link in the path may now lead elsewhere.
  if (key === 'path') return team && [team['path'], team['realPath']]
  return team?.[String(key)] ?? asEntry(settings)?.[String(key)]
}

/** The field for a name in a mapping: that of a fixed key, or that of a record's values. */
function innerField(field: z.ZodType, name: string): z.ZodType | undefined {
  const own = keysOf(field)?.[name]
  if (own !== undefined) return own as z.ZodType
  const record = unwrapped(field)
  return record instanceof z.ZodRecord ? (record.valueType as z.ZodType) : undefined
}

function unwrapped(field: z.ZodType): z.ZodType {
  return field instanceof z.ZodPipe ? unwrapped(field.out as z.ZodType) : field
}
