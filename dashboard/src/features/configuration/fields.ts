import { isRecord } from '../../../../src/base/lib/is-record.ts'
import type { Path } from './yaml-edit.ts'

/** One key that the form shows. */
export interface Field {
  readonly path: Path
  /** The name within its part of config.yaml: "maxProcesses", "budget.turns". */
  readonly name: string
  /** `other`: several values, which the form only shows. */
  readonly kind: 'number' | 'choice' | 'text' | 'other'
  readonly meaning: string
  readonly allowed: string
  readonly unit: string | undefined
  /** The values that a `choice` offers. */
  readonly choices: readonly string[]
  /** The value in force, or the one that would be in force if the key were not written; undefined if there is none. */
  readonly inForce: string | undefined
  /** Why the form does not accept every change: "chooses the program that runs as you". */
  readonly danger: string | undefined
  /** The changes that the form still accepts: a stricter choice, fewer items, or more items. */
  readonly harmless: 'stricter' | 'fewer' | 'more' | undefined
  readonly isReadOnly: boolean
  readonly needsRestart: boolean
}

type Json = Readonly<Record<string, unknown>>

/** The fields of one part of config.yaml, `settings` or a team, in the order of its JSON Schema. */
export function fieldsOf(schema: unknown, path: Path, inForce: Json, names: readonly string[] = []): readonly Field[] {
  const { properties } = asJson(schema)
  return Object.entries(asJson(properties)).flatMap(([key, property]) => {
    const inner = asJson(property)
    const [innerPath, innerNames] = [
      [...path, key],
      [...names, key],
    ]
    if (isRecord(inner['properties']) && inner['dangerous'] === undefined) {
      return fieldsOf(inner, innerPath, asJson(inForce[key]), innerNames)
    }
    return [fieldOf(inner, innerPath, innerNames.join('.'), inForce[key])]
  })
}

function fieldOf(property: Json, path: Path, name: string, value: unknown): Field {
  const { title = '', description = '', unit, dangerous, restart } = property
  const known = value ?? property['default']
  const inForce = known === undefined ? undefined : shown(known)
  const harmless = harmlessOf(property)
  const all = choicesOf(property)
  // Choices further to the left are stricter.
  const choices = harmless === 'stricter' ? all.slice(0, all.indexOf(inForce ?? '') + 1) : all
  const kind = kindOf(property)
  const isStuck = dangerous !== undefined && (harmless !== 'stricter' || choices.length < 2)
  return {
    path,
    name,
    kind,
    inForce,
    harmless,
    choices,
    meaning: String(title),
    allowed: String(description),
    unit: typeof unit === 'string' ? unit : undefined,
    danger: typeof dangerous === 'string' ? dangerous : undefined,
    isReadOnly: kind === 'other' || isStuck,
    needsRestart: restart === true,
  }
}

function kindOf(property: Json): Field['kind'] {
  if (choicesOf(property).length > 0) return 'choice'
  const { type } = property
  return type === 'string' ? 'text' : type === 'number' || type === 'integer' ? 'number' : 'other'
}

function harmlessOf({ harmless }: Json): Field['harmless'] {
  if (Array.isArray(harmless)) return 'stricter'
  return harmless === 'fewer' || harmless === 'more' ? harmless : undefined
}

function choicesOf({ type, harmless, enum: values }: Json): readonly string[] {
  if (Array.isArray(harmless)) return harmless.map(String)
  if (type === 'boolean') return ['true', 'false']
  return Array.isArray(values) ? values.map(String) : []
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function asJson(value: unknown): Json {
  return isRecord(value) ? value : {}
}
