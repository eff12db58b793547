import { isRecord } from './is-record.ts'

/** JSON in which names stand in order: the same value gives the same text, however it was put together. */
export function canonicalJson(value: unknown): string {
  const ordered = (_name: string, inner: unknown): unknown =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner
  return JSON.stringify(value ?? null, ordered)
}
