import type { z } from 'zod'
import { isReservedName } from '../../base/protocol/names.ts'
import { external } from '../../base/protocol/party.ts'
import { skipPermissionsWords } from './old-keys.ts'
import { hidden, type KeyPath } from './problem.ts'
import type { ProblemList } from './problem-list.ts'
import { ConfigFile } from './schema.ts'
import { valueWords } from './shape-words.ts'
import { unknownKeyWords } from './unknown-key.ts'

/** Checks keys, kinds and ranges. Reports every mistake; returns undefined if there is one. */
export function checkShape(tree: unknown, problems: ProblemList): ConfigFile | undefined {
  const result = ConfigFile.safeParse(tree)
  if (result.success) return result.data
  const reported = new Set<string>()
  for (const issue of result.error.issues) {
    const path = issue.path as KeyPath
    // One sentence a value: a number too large is also no safe integer.
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
  // A key that Iris does not know may hold a secret.
  const secret = typeof valueAt(parent, path.slice(-1)) === 'string'
  problems.report(path, unknownKeyWords(path), secret ? hidden : undefined)
}

function nameWords(path: KeyPath, message: string) {
  const name = String(path.at(-1))
  const remedy = 'Choose another name.'
  if (path[0] !== 'teams' || path.length > 2) {
    return { problem: message, allowed: 'letters, digits and _, a digit not first', remedy }
  }
  if (!isReservedName(name)) return { problem: 'is not a name that a team can have', allowed: message, remedy }
  const reason =
    name === external
      ? 'Iris calls a person or program outside every team so'
      : 'every object of JavaScript has something by this name'
  return { problem: `is a reserved name: ${reason}`, remedy }
}

function valueAt(tree: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<string | number, unknown> | null | undefined)?.[key],
    tree,
  )
}
