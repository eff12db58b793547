import type { z } from 'zod'

/** What the schema says of a key besides what its value may be; part of its JSON Schema. */
export interface FieldMetadata {
  /** Makes commands run or widens rights, so that it is for reading over HTTP. Completes a sentence that begins with the key. */
  readonly dangerous?: string
  /** Which changes are still harmless: to a value further to the left, fewer items of a list, or more. */
  readonly harmless?: 'fewer' | 'more' | readonly (string | boolean)[]
  /** A new value takes effect at the next start of Iris. */
  readonly restart?: true
}

export function danger(dangerous: string, harmless?: FieldMetadata['harmless']): FieldMetadata {
  return { dangerous, ...(harmless && { harmless }) }
}

export function withMetadata<Field extends z.ZodType>(field: Field, metadata: FieldMetadata): Field {
  return field.meta({ ...metadata })
}

/** The metadata of a field, whether it was withMetadata before it was wrapped or after. */
export function metadataOf(field: z.ZodType): FieldMetadata {
  const inner = 'unwrap' in field ? metadataOf((field as unknown as { unwrap(): z.ZodType }).unwrap()) : {}
  return { ...inner, ...field.meta() }
}
