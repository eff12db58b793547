import { z } from 'zod'

/** JSON Schema, dialect 2020-12. Only platform/schema checks its content. */
export const JsonSchema = z.record(z.string(), z.unknown())
export type JsonSchema = Readonly<Record<string, unknown>>
