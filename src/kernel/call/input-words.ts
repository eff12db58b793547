import type { z } from 'zod'
import { nearest } from '../../base/lib/nearest.ts'
import { plainLine } from '../../base/lib/plain-line.ts'
import { wrongKind } from '../../base/lib/wrong-kind.ts'
import { replacedArgument } from '../../base/protocol/former-names.ts'

type Issue = z.core.$ZodIssue

/** How many characters of a value the message shows. */
const maxShown = 60

/**
 * Describes what is wrong with the input of an operation. The schema library's own messages use type names from the
 * code.
 */
export function inputWords(issues: readonly Issue[], input: unknown, known: readonly string[]): string {
  return issues.map((issue) => wordsOf(issue, issue.path, input, known)).join('; ')
}

function wordsOf(issue: Issue, path: readonly PropertyKey[], input: unknown, known: readonly string[]): string {
  // For a value that may have several forms, describe how it differs from the first form.
  const [first] = issue.code === 'invalid_union' ? (issue.errors[0] ?? []) : []
  if (first !== undefined) return wordsOf(first, [...path, ...first.path], input, known)
  const name = path.join('.') || 'the input'
  const value = path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | null)?.[key], input)
  if (issue.code === 'unrecognized_keys') return unknownKeys(issue.keys, path, known)
  if (issue.code === 'invalid_type' || issue.code === 'invalid_value') {
    if (value === undefined) return `${name} is missing`
    if (issue.code === 'invalid_type')
      return `${name} ${value === null ? 'is null' : wrongKind(issue.expected, value, 'an object')}`
    return `${name} is ${plainLine(JSON.stringify(value), maxShown)}, and must be ${issue.values
      .map(String)
      .join(', ')
      .replace(/, ([^,]*)$/, ' or $1')}`
  }
  return sizeWords(issue, name) ?? `${name}: ${issue.message}`
}

const counted: Readonly<Record<string, readonly [one: string, several: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
}

/** Undefined if the issue is not about size, or if the schema has its own message. */
function sizeWords(issue: Issue, name: string): string | undefined {
  if (!/^Too (?:big|small): /.test(issue.message)) return undefined
  if (issue.code !== 'too_big' && issue.code !== 'too_small') return undefined
  const [limit, beyond, fewer] =
    issue.code === 'too_big' ? [issue.maximum, 'more', 'more'] : [issue.minimum, 'less', 'fewer']
  const things = counted[issue.origin]
  if (things === undefined && issue.inclusive === false)
    return `${name} must be ${issue.code === 'too_big' ? 'less' : 'more'} than ${limit}`
  if (things === undefined) return `${name} is ${beyond} than ${limit}`
  if (issue.code === 'too_small' && limit === 1) return `${name} is empty`
  return `${name} has ${fewer} than ${limit} ${things[Number(limit) === 1 ? 0 : 1]}`
}

function unknownKeys(keys: readonly string[], path: readonly PropertyKey[], known: readonly string[]): string {
  const within = path.length === 0 ? '' : ` in ${path.join('.')}`
  return keys
    .map((key) => {
      const replaced = path.length === 0 ? replacedArgument(key, known) : undefined
      if (replaced !== undefined) return `there is no argument "${key}": it is called ${replaced} now`
      const meant = path.length === 0 ? nearest(key, known) : undefined
      return `there is no argument "${key}"${within}${meant === undefined ? '' : `: did you mean "${meant}"?`}`
    })
    .join('; ')
}
