import type { Config } from '../../platform/config/config.ts'
import type { Hosts } from './hosts.ts'

export interface ForgettableParts {
  readonly config: () => Config
  readonly hosts: Pick<Hosts, 'all' | 'isUnreachable' | 'withoutRoom'>
  /** Hosts that a person has invited. */
  readonly invited: ReadonlySet<string>
  /** Whether there are unanswered messages to or from the host, or a cancel that the host has not confirmed. */
  readonly isInUse: (host: string) => boolean
}

export interface Forgettable {
  /** Unreachable hosts that nothing here needs. */
  readonly hosts: readonly string[]
  /** Unreachable hosts that are kept, and why. */
  readonly kept: readonly { readonly host: string; readonly why: string }[]
}

/**
 * Determines which unreachable hosts can be forgotten. Forgetting a host deletes its key, so the next host with its
 * name would be trusted.
 */
export function forgettable({ config, hosts, invited, isInUse }: ForgettableParts): Forgettable {
  const whyKept = (host: string): string | undefined => {
    const team = [...config().teams.values()].find(({ hosts: sharing }) => sharing?.includes(host))
    if (team !== undefined) return `it shares the team ${team.name}`
    if (isInUse(host)) return 'its messages, or messages to it, are not answered yet'
    return invited.has(host) ? 'it was invited' : undefined
  }
  const unreachable = [
    ...hosts
      .all()
      .filter((host) => hosts.isUnreachable(host))
      .map(({ name }) => name),
    ...hosts.withoutRoom,
  ]
  const judged = unreachable.toSorted().map((host) => ({ host, why: whyKept(host) }))
  return {
    hosts: judged.flatMap(({ host, why }) => (why === undefined ? [host] : [])),
    kept: judged.flatMap(({ host, why }) => (why === undefined ? [] : [{ host, why }])),
  }
}
