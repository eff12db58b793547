import { z } from 'zod'
import { allowRules, denyRules } from './fields.ts'
import type { KeyPath } from './problem.ts'
import { ConfigFile, Database, Settings, TeamEntry } from './schema.ts'

type Issue = z.core.$ZodIssue

/** What to say of a value that its schema does not take. */
export function valueWords(issue: Issue, path: KeyPath, value: unknown) {
  const field = fieldAt(path)
  return {
    problem: whatIsWrong(issue, value),
    ...(field && { allowed: allowedBy(field) }),
    remedy: remedyFor(issue, value, field),
  }
}

function whatIsWrong(issue: Issue, value: unknown): string {
  if (value === null) return 'has nothing behind it'
  if (issue.code === 'invalid_type') return wrongKind(issue.expected, value)
  if (issue.code === 'invalid_value') return 'is none of the words allowed'
  // Zod's own sentence is for numbers only; text and lists have theirs in the schema.
  if (issue.code === 'too_small' && issue.origin !== 'array') return 'is too small'
  if (issue.code === 'too_big' && issue.origin !== 'string') return 'is too large'
  return issue.message
}

const kinds: Partial<Record<string, string>> = { string: 'text', array: 'a list', boolean: 'true or false' }

function wrongKind(expected: string, value: unknown): string {
  const isNumber = expected === 'number' || expected === 'int'
  if (isNumber && typeof value === 'number') return 'is not a whole number'
  return `is ${kindOf(value)} where ${isNumber ? 'a number' : (kinds[expected] ?? 'a mapping')} belongs`
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'boolean') return `the word ${value}`
  return typeof value === 'number' ? 'a number' : 'a mapping'
}

function remedyFor(issue: Issue, value: unknown, field: z.ZodType | undefined): string {
  const isSimple = typeof value === 'number' || typeof value === 'boolean'
  if (issue.code === 'invalid_type' && issue.expected === 'string' && isSimple) return 'Put it in quotes.'
  if (typeof value === 'string' && field && withoutQuotes(value, field)) {
    return 'Write it plain: no quotes, no text around a variable.'
  }
  const whenAbsent = field?.safeParse(undefined)
  if (!whenAbsent?.success) return 'Correct it.'
  const { data } = whenAbsent
  const fallback = typeof data === 'string' || typeof data === 'number' || typeof data === 'boolean'
  return `${value === null ? 'Write a value' : 'Correct it'}, or remove the line${fallback ? `: the default is ${data}` : ''}.`
}

function withoutQuotes(text: string, field: z.ZodType): boolean {
  if (text === 'true' || text === 'false') return field.safeParse(text === 'true').success
  return text.trim() !== '' && field.safeParse(Number(text)).success
}

/** The schema whose words describe the key at `path`; items of lists and of `env` are described by their key. */
export function fieldAt([section, name, key, ...rest]: KeyPath): z.ZodType | undefined {
  if (section === undefined) return ConfigFile
  if (name === undefined) return fieldOf(ConfigFile, section)
  if (section === 'database') return fieldOf(Database, name)
  if (section === 'settings') return innermost(fieldOf(Settings, name), key === undefined ? [] : [key, ...rest])
  if (key === 'permissions' && rest.includes('allow')) return allowRules
  if (key === 'permissions' && rest.includes('deny')) return denyRules
  return key === undefined ? TeamEntry : innermost(fieldOf(TeamEntry, key), rest)
}

/** As far into mappings with keys of their own as the path goes. */
function innermost(field: z.ZodType | undefined, [key, ...rest]: KeyPath): z.ZodType | undefined {
  const inner = key === undefined ? undefined : keysOf(field)?.[key]
  return inner ? innermost(inner as z.ZodType, rest) : field
}

/** The keys of a mapping, whatever wraps it; undefined for what has none of its own. */
export function keysOf(field: z.ZodType | undefined): Readonly<Record<string, z.core.$ZodType>> | undefined {
  if (field === undefined) return undefined
  if (field instanceof z.ZodObject) return field.shape
  if (field instanceof z.ZodPipe) return keysOf(field.out as z.ZodType)
  return 'unwrap' in field ? keysOf((field as unknown as { unwrap(): z.ZodType }).unwrap()) : undefined
}

function fieldOf(schema: z.ZodObject, key: string | number): z.ZodType | undefined {
  return schema.shape[key] as z.ZodType | undefined
}

/** Its description, or that of what it wraps: a default or an optional has none of its own. */
function allowedBy(field: z.ZodType): string {
  const { description } = field
  if (description !== undefined || !('unwrap' in field)) return description ?? ''
  return allowedBy((field as unknown as { unwrap(): z.ZodType }).unwrap())
}
