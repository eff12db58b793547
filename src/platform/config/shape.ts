import { z } from 'zod'
import { nearest } from '../../base/lib/nearest.ts'
import { safeParse } from '../../base/lib/safe-parse.ts'
import { wrongKind } from '../../base/lib/wrong-kind.ts'
import { whyReserved } from '../../base/protocol/names.ts'
import { CallbackEntry } from './callbacks.ts'
import { ChannelEntry } from './channels.ts'
import { Cluster } from './cluster.ts'
import { allowRules, denyRules } from './fields.ts'
import { hidden, type KeyPath, type ProblemList } from './problem.ts'
import { RoleEntry } from './roles.ts'
import { ConfigFile, Database, InsightEntry, Settings, TeamEntry } from './schema.ts'
import { TriggerEntry } from './triggers.ts'

/** Checks keys, types and ranges. Reports every mistake, and then returns undefined. */
export function checkShape(tree: unknown, problems: ProblemList): ConfigFile | undefined {
  const result = safeParse(ConfigFile, tree)
  if (result.success) return result.data
  const reported = new Set<string>()
  for (const issue of result.error.issues) {
    const path = issue.path as KeyPath
    // Reports each value only once, although it may have two issues: a number that is too large is not a safe integer
    // either.
    const once = JSON.stringify([path, issue.code === 'unrecognized_keys'])
    if (problems.isUnread(path) || reported.has(once)) continue
    reported.add(once)
    report(issue, path, tree, problems)
  }
  return undefined
}

function report(issue: z.core.$ZodIssue, path: KeyPath, tree: unknown, problems: ProblemList): void {
  const value = valueAt(tree, path)
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) reportUnknown([...path, key], value, problems)
  } else if (issue.code === 'invalid_key') {
    problems.report(path, nameWords(path, issue.issues[0]?.message ?? issue.message), null)
  } else {
    problems.report(path, valueWords(issue, path, value))
  }
}

function reportUnknown(path: KeyPath, parent: unknown, problems: ProblemList): void {
  if (path[0] === 'teams' && path[2] === 'skipPermissions' && path.length === 3) {
    return problems.report(path, skipPermissionsWords(parent as Record<string, unknown>))
  }
  // A key that Iris does not know may contain a secret.
  const secret = typeof valueAt(parent, path.slice(-1)) === 'string'
  problems.report(path, unknownKeyWords(path), secret ? hidden : undefined)
}

function nameWords(path: KeyPath, message: string) {
  const name = String(path.at(-1))
  const remedy = 'Choose another name.'
  if (path[0] === 'channels') return { problem: 'is not a name that a channel can have', allowed: message, remedy }
  if (path[0] === 'callbacks') return { problem: 'is not a name that a callback can have', allowed: message, remedy }
  if (path[0] === 'triggers' && path.length === 2)
    return { problem: 'is not a name that a trigger can have', allowed: message, remedy }
  if (path[0] === 'roles') return { problem: 'is not a name that a role can have', allowed: message, remedy }
  if (path[0] !== 'teams' || path.length > 2) {
    return { problem: message, allowed: 'letters, digits and _, not starting with a digit', remedy }
  }
  const reason = whyReserved(name)
  if (reason === undefined) return { problem: 'is not a name that a team can have', allowed: message, remedy }
  return { problem: `is a reserved name: ${reason}`, remedy }
}

function valueAt(tree: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<string | number, unknown> | null | undefined)?.[key],
    tree,
  )
}

type Issue = z.core.$ZodIssue

/** The report on a value that does not fit its schema. */
function valueWords(issue: Issue, path: KeyPath, value: unknown) {
  const field = fieldAt(path)
  return {
    problem: whatIsWrong(issue, value),
    ...(field && { allowed: allowedBy(field) }),
    remedy: remedyFor(issue, value, field),
  }
}

function whatIsWrong(issue: Issue, value: unknown): string {
  if (value === undefined) return 'is missing'
  if (value === null) return 'has no value'
  if (issue.code === 'invalid_type') return wrongKind(issue.expected, value, 'a mapping')
  if (issue.code === 'invalid_value' || issue.code === 'invalid_union') return 'is not an allowed value'
  // These messages are for numbers; text and lists have their own messages in the schema.
  if (issue.code === 'too_small' && issue.origin !== 'array') return 'is too small'
  if (issue.code === 'too_big' && issue.origin !== 'string') return 'is too large'
  return issue.message
}

function remedyFor(issue: Issue, value: unknown, field: z.ZodType | undefined): string {
  const isSimple = typeof value === 'number' || typeof value === 'boolean'
  if (issue.code === 'invalid_type' && issue.expected === 'string' && isSimple) return 'Put it in quotes.'
  if (typeof value === 'string' && field && withoutQuotes(value, field)) {
    return 'Write it without quotes, and without text around a variable.'
  }
  const whenAbsent = field?.safeParse(undefined)
  if (value === undefined) return 'Add it.'
  if (!whenAbsent?.success) return 'Correct it.'
  const { data } = whenAbsent
  const fallback = typeof data === 'string' || typeof data === 'number' || typeof data === 'boolean'
  return `${value === null ? 'Write a value' : 'Correct it'}, or remove the line${fallback ? `: the default is ${data}` : ''}.`
}

function withoutQuotes(text: string, field: z.ZodType): boolean {
  if (text === 'true' || text === 'false') return field.safeParse(text === 'true').success
  return text.trim() !== '' && field.safeParse(Number(text)).success
}

/** The schema of the key at `path`. For an item of a list or of `env`, this is the schema of that list or of `env`. */
export function fieldAt([section, name, key, ...rest]: KeyPath): z.ZodType | undefined {
  if (section === undefined) return ConfigFile
  if (name === undefined) return fieldOf(ConfigFile, section)
  if (section === 'database') return fieldOf(Database, name)
  if (section === 'cluster') return fieldOf(Cluster, name)
  if (section === 'insight') return fieldOf(InsightEntry, name)
  if (section === 'settings') return innermost(fieldOf(Settings, name), key === undefined ? [] : [key, ...rest])
  if (section === 'channels') return key === undefined ? ChannelEntry : innermost(fieldOf(ChannelEntry, key), rest)
  if (section === 'callbacks') return key === undefined ? CallbackEntry : innermost(fieldOf(CallbackEntry, key), rest)
  if (section === 'triggers') return key === undefined ? TriggerEntry : innermost(fieldOf(TriggerEntry, key), rest)
  if (section === 'roles') return key === undefined ? RoleEntry : innermost(fieldOf(RoleEntry, key), rest)
  if (key === 'permissions' && rest.includes('allow')) return allowRules
  if (key === 'permissions' && rest.includes('deny')) return denyRules
  return key === undefined ? TeamEntry : innermost(fieldOf(TeamEntry, key), rest)
}

/** Follows the path into mappings with fixed keys, as far as possible. */
function innermost(field: z.ZodType | undefined, [key, ...rest]: KeyPath): z.ZodType | undefined {
  const inner = key === undefined ? undefined : keysOf(field)?.[key]
  return inner ? innermost(inner as z.ZodType, rest) : field
}

/** The fixed keys of a mapping, whatever wraps it; undefined for any other field. */
export function keysOf(field: z.ZodType | undefined): Readonly<Record<string, z.core.$ZodType>> | undefined {
  if (field === undefined) return undefined
  if (field instanceof z.ZodObject) return field.shape
  if (field instanceof z.ZodPipe) return keysOf(field.out as z.ZodType)
  return 'unwrap' in field ? keysOf((field as unknown as { unwrap(): z.ZodType }).unwrap()) : undefined
}

function fieldOf(schema: z.ZodObject, key: string | number): z.ZodType | undefined {
  return schema.shape[key] as z.ZodType | undefined
}

/**
 * The description of the field, or of the field that it wraps: a field with a default and an optional field have none
 * of their own.
 */
function allowedBy(field: z.ZodType): string {
  const { description } = field
  if (description !== undefined || !('unwrap' in field)) return description ?? ''
  return allowedBy((field as unknown as { unwrap(): z.ZodType }).unwrap())
}

const groups = [
  { name: 'settings', keys: Object.keys(Settings.shape) },
  { name: 'database', keys: Object.keys(Database.shape) },
  { name: 'a team', keys: Object.keys(TeamEntry.shape) },
  { name: 'a role', keys: Object.keys(RoleEntry.shape) },
] as const

/** The report on a key at `path` that no schema knows. */
function unknownKeyWords(path: KeyPath) {
  const key = String(path.at(-1))
  const known = Object.keys(keysOf(fieldAt(path.slice(0, -1))) ?? {})
  return {
    problem: 'is not a key that Iris knows here',
    allowed: known.join(', '),
    remedy: otherPlace(key) ?? suggestion(key, known) ?? 'Remove the line.',
  }
}

function suggestion(key: string, known: readonly string[]): string | undefined {
  const meant = nearest(key, known)
  return meant && `Did you mean ${meant}?`
}

function otherPlace(key: string): string | undefined {
  const group = groups.find(({ keys }) => keys.includes(key))
  return group && `It belongs under ${group.name}.`
}

/** Whether the path has a key that Iris does not know. */
export function isUnknownKey(path: KeyPath): boolean {
  return path.some((key, index) => {
    const known = keysOf(fieldAt(path.slice(0, index)))
    return known !== undefined && !Object.hasOwn(known, key)
  })
}

/** The report on `skipPermissions`, which `grantPermission` has replaced. */
function skipPermissionsWords(team: Readonly<Record<string, unknown>>) {
  const problem = 'is an older key, which grantPermission replaces'
  if (team['skipPermissions'] !== true) return { problem, remedy: 'Remove the line.' }
  if (team['grantPermission'] !== undefined) {
    return { problem, remedy: 'Remove the line: this team also has grantPermission, which decides.' }
  }
  return {
    problem,
    remedy:
      'If this team may really do everything without asking, replace the line with these two:\n' +
      'grantPermission: yes\ndangerous: true',
  }
}
