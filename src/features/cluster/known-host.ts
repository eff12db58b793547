import type { HostEntry } from './ports.ts'

/** Another host, as known to this host. */
export interface KnownHost {
  readonly name: string
  readonly entry: HostEntry
  /** The host's known key: from an invitation, or the first one that the host announced. */
  readonly key: string
  /**
   * The host announces a different key, and nothing has arrived with the known key since. Iris does not trust the host.
   */
  readonly isStranger: boolean
  /** Milliseconds since the epoch. */
  readonly seenAt: number
  /** In the clock's `elapsed` time; undefined if not heard since Iris started. */
  readonly heardAt: number | undefined
  /** In the clock's `elapsed` time; undefined if the host's last announcement is not in the store. */
  readonly keptAt: number | undefined
}

/** The hosts that say that they are the keeper, as text. Undefined if no host says so. */
export function keeperAmong(hosts: readonly KnownHost[]): string | undefined {
  const names = hosts.flatMap(({ name, entry, isStranger }) => (entry.keeper && !isStranger ? [name] : []))
  return names.length === 0 ? undefined : names.toSorted().join(' or ')
}

/** The part of an entry that does not change with each announcement. */
export function lasting(entry: HostEntry): string {
  return JSON.stringify({ ...entry, load: undefined, count: undefined })
}
