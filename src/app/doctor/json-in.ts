import { readFileSync, statSync } from 'node:fs'
import { isRecord } from '../../base/lib/is-record.ts'

/** The object in a JSON file; empty when the file is absent or holds something else. */
export function jsonIn(path: string): Readonly<Record<string, unknown>> {
  try {
    // Reading a pipe would block.
    if (!statSync(path).isFile()) return {}
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

/** The object under a key; empty when there is none. */
export function partOf(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const part = isRecord(value) ? value[key] : undefined
  return isRecord(part) ? part : {}
}
