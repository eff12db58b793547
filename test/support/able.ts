import type { Means } from '../../src/platform/machine/isolation-means.ts'

/** The requirements of the tests on a machine. scripts/bubblewrap installs bubblewrap if permitted. */
export function able<View>(means: Means<View>): Exclude<Means<View>, { lacks: string }> {
  if ('lacks' in means)
    throw new Error(`Agents cannot be isolated on this machine, so it is not tested: ${means.lacks}.`)
  return means
}
