import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Config } from './config.ts'
import { type FieldMetadata, metadataOf } from './field-metadata.ts'
import type { KeyPath } from './problem.ts'
import { fieldAt, keysOf } from './shape-words.ts'
import { asEntry } from './team-rules.ts'

/** Why a key may not be changed so over HTTP; undefined where it may. The path names a whole key of a section or team. */
export function dangerAt(path: KeyPath, before: Config, after: Config): string | undefined {
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

/** What counts for a team that says nothing is what `settings` say. */
function effective([section, name, key]: KeyPath, { settings, database, teams }: Config): unknown {
  if (section !== 'teams') return asEntry(section === 'settings' ? settings : database)?.[String(name)]
  const team = asEntry(teams.get(String(name)))
  if (key === undefined) return team
  // A link on the way may lead elsewhere.
  if (key === 'path') return team && [team['path'], team['realPath']]
  return team?.[String(key)] ?? asEntry(settings)?.[String(key)]
}

/** Of a mapping with keys of its own, or one from any name. */
function innerField(field: z.ZodType, name: string): z.ZodType | undefined {
  const own = keysOf(field)?.[name]
  if (own !== undefined) return own as z.ZodType
  const record = unwrapped(field)
  return record instanceof z.ZodRecord ? (record.valueType as z.ZodType) : undefined
}

function unwrapped(field: z.ZodType): z.ZodType {
  return field instanceof z.ZodPipe ? unwrapped(field.out as z.ZodType) : field
}
