import { readFileSync, readlinkSync } from 'node:fs'

/** One of all processes that ever were: a number comes again, but not with the same time of birth. */
export interface Life {
  readonly pid: number
  /** In ticks since the system started. */
  readonly born: number
}

/** The process and its ancestors, itself first, up to this process, which is included, or the first one of the system. Linux only. */
export async function lineageOf(pid: number): Promise<number[]> {
  return livesOf(pid).map((life) => life.pid)
}

/**
 * The same, with their births. A parent is never younger than its child: where it is, its number belongs to another process
 * by now, and all is read anew. Throws where a process lives and cannot be read.
 */
export function livesOf(pid: number): Life[] {
  const lineage: Life[] = []
  let [next, bornBefore] = [pid, Number.POSITIVE_INFINITY]
  while (next > 1 && !lineage.some((life) => life.pid === next)) {
    const { parent, born } = birthOf(next)
    if (born > bornBefore) return livesOf(pid)
    lineage.push({ pid: next, born })
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
  } catch (error) {
    if (hasGone(error)) return { parent: 0, born: 0 }
    throw error
  }
}

/** That a process has no files in /proc any more; every other error says nothing of it, as where this process has no file left to open. */
export function hasGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ESRCH'
}

/** Names the user namespace of a process; a process cannot leave one that it was put into. */
export function userNamespaceOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/user`)
  } catch {
    return undefined
  }
}
