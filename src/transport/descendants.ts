import { readFileSync } from 'node:fs'
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
  const marked = await Promise.all(pids.map(async (pid) => ((await isMarked(pid, marker)) ? pid : undefined)))
  return marked.filter((pid) => pid !== undefined)
}

/** Whether this Iris started it, or something that it started did. */
export async function isMarked(pid: number, marker: string): Promise<boolean> {
  const value = await markOf(pid)
  if (value !== marker && !value?.startsWith(`${marker}.`)) return false
  return !(await isZombie(pid))
}

/** The mark that a process was started with, of whichever Iris; undefined also when it is gone or not ours to read. */
export async function markOf(pid: number): Promise<string | undefined> {
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
  const entry = environment.split('\0').find((line) => line.startsWith(`${markerVariable}=`))
  return entry?.slice(markerVariable.length + 1)
}

async function isZombie(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ') Z')
  return status.slice(status.lastIndexOf(')') + 2).startsWith('Z')
}

/**
 * Whether the process lives, and is the one that started then (field 22 of `/proc/<pid>/stat`), not a later one under the
 * same number. Where there is no /proc, whether any lives under that number.
 */
export function lives(pid: number, start: string | undefined): boolean {
  if (process.platform !== 'linux') return exists(pid)
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ')
    return fields[0] !== 'Z' && (start === undefined || fields[19] === start)
  } catch {
    return false
  }
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The first child of its first child: in a sandbox the program, as the system outside numbers it. */
export function grandchild(pid: number): number | undefined {
  const child = firstChild(pid)
  return child === undefined ? undefined : firstChild(child)
}

function firstChild(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0]) || undefined
  } catch {
    return undefined
  }
}

/** Sends a signal; a process that is gone already is no fault. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
