import { readFileSync, statSync } from 'node:fs'
import { isRecord } from '../../base/lib/is-record.ts'

/** A mapping; an empty one for a file that is absent or holds something else. */
export function jsonIn(path: string): Readonly<Record<string, unknown>> {
  try {
    // A pipe would be waited for.
    if (!statSync(path).isFile()) return {}
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

/** What it holds under a key, if that is a mapping. */
export function partOf(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const part = isRecord(value) ? value[key] : undefined
  return isRecord(part) ? part : {}
}
