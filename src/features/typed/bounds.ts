import { isNestedDeeper } from '../../base/lib/json-depth.ts'

/** Each message that asks for a value contains its schema, so the model pays for the schema's size. */
export const maxSchemaBytes = 64 * 1024
export const maxSchemaDepth = 32
const maxValueBytes = 1024 * 1024
const maxValueDepth = 64

/** Why a schema is refused unread; undefined if it is small enough. */
export function whySchemaTooLarge(schema: unknown): string | undefined {
  return tooLarge(schema, 'The schema', maxSchemaBytes, maxSchemaDepth)
}

/** Why a value is refused unread; undefined if it is small enough. */
export function whyValueTooLarge(value: unknown): string | undefined {
  return tooLarge(value, 'The value', maxValueBytes, maxValueDepth)
}

function tooLarge(json: unknown, what: string, maxBytes: number, maxDepth: number): string | undefined {
  if (isNestedDeeper(json, maxDepth)) return `${what} is nested more than ${maxDepth} levels deep.`
  const bytes = Buffer.byteLength(JSON.stringify(json) ?? '')
  return bytes > maxBytes ? `${what} has ${bytes} bytes; at most ${maxBytes} are allowed.` : undefined
}
