import { z } from 'zod'

/** JSON Schema, dialect 2020-12. What is in it is judged by platform/schema. */
export const JsonSchema = z.record(z.string(), z.unknown())
export type JsonSchema = Readonly<Record<string, unknown>>
