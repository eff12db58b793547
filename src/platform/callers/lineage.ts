import { readFileSync, readlinkSync } from 'node:fs'

/** Identifies a process uniquely: the system reuses a pid, but not with the same start time. */
export interface Life {
  readonly pid: number
  /** Start time in clock ticks since the boot; 0 if the process has exited. */
  readonly born: number
}

/**
 * The pids of a process and its ancestors, starting with the process itself. The list ends with this process if it is
 * an ancestor, otherwise before pid 1. Linux only.
 */
export async function lineageOf(pid: number): Promise<number[]> {
  return livesOf(pid).map((life) => life.pid)
}

/**
 * The same as `lineageOf`, but with start times. A parent is never younger than its child. If a parent seems to be
 * younger, the parent's pid has been reused, and the lineage is read again. Throws if a running process cannot be read.
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

/** Fields 4 and 22 of `/proc/<pid>/stat`; both 0 if the process has exited. */
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

/** Whether an error means that a process has exited. Other errors, such as running out of file descriptors, do not. */
export function hasGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ESRCH'
}

/** The name of a process's user namespace, which a process cannot leave. Undefined if it cannot be read. */
export function userNamespaceOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/user`)
  } catch {
    return undefined
  }
}
