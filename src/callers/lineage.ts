import { readFileSync, readlinkSync } from 'node:fs'

/**
 * The process and its ancestors, itself first, up to this process, which is included, or the first one of the system. Linux
 * only. A parent is never younger than its child: where it is, its number belongs to another process by now, and all is read anew.
 */
export async function lineageOf(pid: number): Promise<number[]> {
  const lineage: number[] = []
  let [next, bornBefore] = [pid, Number.POSITIVE_INFINITY]
  while (next > 1 && !lineage.includes(next)) {
    const { parent, born } = birthOf(next)
    if (born > bornBefore) return lineageOf(pid)
    lineage.push(next)
    if (next === process.pid) break
    bornBefore = born
    next = parent
  }
  return lineage
}

/** Fields 4 and 22 of `/proc/<pid>/stat`. */
function birthOf(pid: number): { readonly parent: number; readonly born: number } {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ')
    return { parent: Number(fields[1]), born: Number(fields[19]) }
  } catch {
    return { parent: 0, born: 0 }
  }
}

/** Names the user namespace of a process; a process cannot leave one that it was put into. */
export function userNamespaceOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/user`)
  } catch {
    return undefined
  }
}
