import { readdir, readFile } from 'node:fs/promises'

/** The variable that marks every process Iris started and all that those start. */
export const markerVariable = 'IRIS_PROCESS'

/**
 * The living processes (zombies left out) whose environment carries the marker, or one that begins with it and a dot.
 * A process in a session of its own, or given to init, is found all the same. Linux only; elsewhere empty.
 */
export async function markedProcesses(marker: string): Promise<number[]> {
  const entries = await readdir('/proc').catch(() => [])
  const pids = entries.map(Number).filter((pid) => pid > 0 && pid !== process.pid)
  const marked = await Promise.all(pids.map(async (pid) => ((await carries(pid, marker)) ? pid : undefined)))
  return marked.filter((pid) => pid !== undefined)
}

async function carries(pid: number, marker: string): Promise<boolean> {
  try {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1')
    const entry = environment.split('\0').find((line) => line.startsWith(`${markerVariable}=`))
    if (entry === undefined) return false
    const value = entry.slice(markerVariable.length + 1)
    if (value !== marker && !value.startsWith(`${marker}.`)) return false
    return !(await isZombie(pid))
  } catch {
    return false // gone, or not ours to read
  }
}

async function isZombie(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'latin1')
  return status.slice(status.lastIndexOf(')') + 2).startsWith('Z')
}

/** Sends a signal; a process that is gone already is no fault. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
