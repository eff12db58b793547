import type { z } from 'zod'
import { isRecord } from '../../base/lib/is-record.ts'
import { safeParse } from '../../base/lib/safe-parse.ts'

/**
 * Corrects the input of clients whose models must fill in every argument, or write every argument as text. Null and
 * empty text mean that an argument is missing, and a text can stand for the number or boolean that it spells. Changes
 * only arguments that do not match the schema. An argument that would still not match is left unchanged, and is
 * refused.
 */
export function asMeant(schema: z.ZodObject, input: unknown): unknown {
  if (!isRecord(input)) return input
  const meant = Object.entries(input).flatMap(([name, value]): [string, unknown][] => {
    // Every object inherits names such as `constructor`.
    const field = Object.hasOwn(schema.shape, name) ? (schema.shape[name] as z.ZodType) : undefined
    if (field === undefined || fits(field, value)) return [[name, value]]
    if ((value === null || value === '') && fits(field, undefined)) return []
    const inner = objectIn(field)
    return [[name, inner ? asMeant(inner, value) : spelled(field, value)]]
  })
  return Object.fromEntries(meant)
}

function fits(field: z.ZodType, value: unknown): boolean {
  return safeParse(field, value).success
}

function spelled(field: z.ZodType, value: unknown): unknown {
  if (typeof value !== 'string') return value
  const text = value.trim()
  const read = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : booleans.get(text)
  return read !== undefined && fits(field, read) ? read : value
}

const booleans = new Map([
  ['true', true],
  ['false', false],
])

/** The object schema of an argument that is an object, optional or not. Undefined for all other arguments. */
function objectIn(field: z.ZodType): z.ZodObject | undefined {
  const { def } = field as { def?: { type?: unknown; innerType?: z.ZodType } }
  if (def?.type === 'object') return field as z.ZodObject
  return def?.innerType === undefined ? undefined : objectIn(def.innerType)
}
