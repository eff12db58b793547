import { readFileSync } from 'node:fs'

/** Whether there is such a process that still runs. A zombie, which nobody has come to collect, does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Another user's process is alive too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return !isZombie(pid)
}

/** Linux tells; elsewhere nobody is taken for one. */
function isZombie(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return status.slice(status.lastIndexOf(')') + 2).startsWith('Z')
  } catch {
    return false
  }
}
