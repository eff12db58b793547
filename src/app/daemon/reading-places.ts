import type { PolicyParts } from '../../features/permission/policy.ts'
import type { Hosts } from '../../kernel/pool/hosts.ts'
import type { Launcher } from '../../kernel/pool/launch.ts'
import { realPathsThere } from '../../platform/hosts/real-paths.ts'

export type ReadingPlaces = Pick<PolicyParts, 'home' | 'homeElsewhere' | 'linksElsewhere' | 'attachmentsOf'>

/** Where paths in tools and rules lead. `elsewhere` is called only when a tool is judged. */
export function readingPlaces(
  home: string,
  elsewhere: () => { readonly hosts: Hosts; readonly launcher: Pick<Launcher, 'attachmentsOf'> },
): ReadingPlaces {
  return {
    home,
    homeElsewhere: (team) => elsewhere().hosts.of(team).host.home,
    linksElsewhere: (team, paths, bases) => realPathsThere(elsewhere().hosts.of(team).host, paths, bases),
    attachmentsOf: (team, sessionId) => elsewhere().launcher.attachmentsOf(team, sessionId),
  }
}
