import { nearest } from '../../base/lib/nearest.ts'
import type { KeyPath } from './problem.ts'
import { Database, Settings, TeamEntry } from './schema.ts'
import { fieldAt, keysOf } from './shape-words.ts'

const groups = [
  { name: 'settings', keys: Object.keys(Settings.shape) },
  { name: 'database', keys: Object.keys(Database.shape) },
  { name: 'a team', keys: Object.keys(TeamEntry.shape) },
] as const

/** What to say of a key that no schema knows, at `path`. */
export function unknownKeyWords(path: KeyPath) {
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

/** Whether a key on the way to this one is none that Iris knows. */
export function isUnknownKey(path: KeyPath): boolean {
  return path.some((key, index) => {
    const known = keysOf(fieldAt(path.slice(0, index)))
    return known !== undefined && !Object.hasOwn(known, key)
  })
}
