import type { z } from 'zod'

/** The schema's information about a key besides its allowed values; part of the JSON Schema. */
export interface FieldMetadata {
  /**
   * Why HTTP clients may only read the key: a change runs commands or widens rights. Completes a sentence that begins
   * with the key.
   */
  readonly dangerous?: string
  /**
   * Changes that are harmless nevertheless: removing items of a list (`fewer`), adding items (`more`), or choosing a
   * value that comes earlier in the list given here.
   */
  readonly harmless?: 'fewer' | 'more' | readonly (string | boolean)[]
  /** A new value takes effect only when Iris next starts. */
  readonly restart?: true
}

export function danger(dangerous: string, harmless?: FieldMetadata['harmless']): FieldMetadata {
  return { dangerous, ...(harmless && { harmless }) }
}

export function withMetadata<Field extends z.ZodType>(field: Field, metadata: FieldMetadata): Field {
  return field.meta({ ...metadata })
}

/** The metadata of a field, whether it was added before or after the field was wrapped. */
export function metadataOf(field: z.ZodType): FieldMetadata {
  const inner = 'unwrap' in field ? metadataOf((field as unknown as { unwrap(): z.ZodType }).unwrap()) : {}
  return { ...inner, ...field.meta() }
}
