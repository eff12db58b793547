import type { Means } from '../../src/platform/machine/isolation-means.ts'

/** What a machine must have for its tests: scripts/bubblewrap installs it where it may. */
export function able<View>(means: Means<View>): Exclude<Means<View>, { lacks: string }> {
  if ('lacks' in means)
    throw new Error(`Agents cannot be isolated on this machine, so it is not tested: ${means.lacks}.`)
  return means
}
