import { isRecord } from './is-record.ts'

/** JSON with sorted names, so that equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  const ordered = (_name: string, inner: unknown): unknown =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner
  return JSON.stringify(value ?? null, ordered)
}
