import type { HostEntry } from './ports.ts'

/** With less memory, there is no room for a process with its tools. */
const minFreeMiB = 512

/**
 * Positive if the first host has more to do. A host without free memory counts as the busiest. Otherwise messages and
 * processes decide. If these are equal, memory decides, but only if one host has more than twice as much, because
 * smaller differences change from moment to moment.
 */
export function moreLoad(one: HostEntry, other: HostEntry): number {
  const [a, b] = [weighed(one), weighed(other)]
  const memory = Number(b.freeMiB > 2 * a.freeMiB) - Number(a.freeMiB > 2 * b.freeMiB)
  return Number(a.isFull) - Number(b.isFull) || a.work - b.work || memory
}

/** A waiting message counts more than a process, because a process may be idle. */
function weighed({ load }: HostEntry) {
  const { turns = 0, processes = 0, freeMiB } = load ?? {}
  return { isFull: (freeMiB ?? minFreeMiB) < minFreeMiB, work: turns * 10 + processes, freeMiB: freeMiB ?? 0 }
}
