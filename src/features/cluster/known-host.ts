import type { HostEntry } from './ports.ts'

/** Another host, as this one knows it. */
export interface KnownHost {
  readonly name: string
  readonly entry: HostEntry
  /** The key that is known for it: from an invitation, or the first one that it showed. */
  readonly key: string
  /** It shows a different key, and nothing has come with the known one. Iris does not trust it. */
  readonly isStranger: boolean
  /** Milliseconds since the epoch. */
  readonly seenAt: number
  /** In the clock's `elapsed` time; undefined: not since Iris started. */
  readonly heardAt: number | undefined
  /** In the clock's `elapsed` time; undefined: its last announcement is not in the store. */
  readonly keptAt: number | undefined
}

/** The hosts that say that they are the keeper, in words; undefined: none does. */
export function keeperAmong(hosts: readonly KnownHost[]): string | undefined {
  const names = hosts.flatMap(({ name, entry, isStranger }) => (entry.keeper && !isStranger ? [name] : []))
  return names.length === 0 ? undefined : names.toSorted().join(' or ')
}

/** Data that changes with each announcement is not stored. */
export function lasting(entry: HostEntry): string {
  return JSON.stringify({ ...entry, load: undefined, count: undefined })
}
