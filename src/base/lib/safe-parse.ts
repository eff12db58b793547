import type { z } from 'zod'
import { isRecord } from './is-record.ts'

/**
 * `schema.safeParse` for foreign input. zod compares the `length` of any value with a bound, even if the type is wrong,
 * and throws if that length is an object that cannot become a number.
 */
export function safeParse<T extends z.ZodType>(schema: T, value: unknown): z.ZodSafeParseResult<z.output<T>> {
  try {
    return schema.safeParse(value)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    makeLengthsComparable(value, new Set())
    return schema.safeParse(value)
  }
}

function makeLengthsComparable(value: unknown, seen: Set<unknown>): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  for (const part of Object.values(value)) makeLengthsComparable(part, seen)
  const length = isRecord(value) ? value['length'] : undefined
  if (typeof length !== 'object' || length === null) return
  Object.defineProperty(length, Symbol.toPrimitive, { value: () => Number.NaN, configurable: true })
}
