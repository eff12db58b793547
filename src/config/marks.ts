import type { z } from 'zod'

/** What the schema says of a key besides what its value may be; part of its JSON Schema. */
export interface Marks {
  /** Makes commands run or widens rights, so that it is for reading over HTTP. Completes a sentence that begins with the key. */
  readonly dangerous?: string
  /** Which changes are still harmless: to a value further to the left, fewer items of a list, or more. */
  readonly harmless?: 'fewer' | 'more' | readonly (string | boolean)[]
  /** A new value takes effect at the next start of Iris. */
  readonly restart?: true
}

export function danger(dangerous: string, harmless?: Marks['harmless']): Marks {
  return { dangerous, ...(harmless && { harmless }) }
}

export function marked<Field extends z.ZodType>(field: Field, marks: Marks): Field {
  return field.meta({ ...marks })
}

/** The marks of a field, whether it was marked before it was wrapped or after. */
export function marksOf(field: z.ZodType): Marks {
  const inner = 'unwrap' in field ? marksOf((field as unknown as { unwrap(): z.ZodType }).unwrap()) : {}
  return { ...inner, ...field.meta() }
}
