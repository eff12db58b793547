import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Clock } from '../../base/lib/clock.ts'
import type { Processes } from './machine.ts'
import { isTagged, taggedProcesses } from './process-tag.ts'

/** The processes on this computer. */
export function localProcesses(clock: Clock): Processes {
  return {
    lives: async (pid, start) => lives(pid, start),
    isTagged: isTagged,
    residentBytes,
    programsBelow,
    sweep: (tag, graceMs) => sweep(tag, graceMs, clock),
  }
}

const lookAgainMs = 20

/**
 * Ends every process with the tag: SIGTERM, and after `graceMs` SIGKILL. Resolves with the number of these processes
 * when none is left.
 */
export async function sweep(tag: string, graceMs: number, clock: Clock): Promise<number> {
  const began = clock.elapsed()
  const found = new Set<number>()
  for (;;) {
    const pids = await taggedProcesses(tag)
    if (pids.length === 0) return found.size
    const hard = clock.elapsed() - began >= graceMs
    for (const pid of pids) {
      if (hard) signal(pid, 'SIGKILL')
      else if (!found.has(pid)) signal(pid, 'SIGTERM')
      found.add(pid)
    }
    await new Promise<void>((resolve) => clock.after(lookAgainMs, resolve))
  }
}

/**
 * Whether the process lives and is the one that started at `start` (field 22 of `/proc/<pid>/stat`), not a later one
 * with the same id. Without /proc, whether any process has that id.
 */
function lives(pid: number, start: string | undefined): boolean {
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

/**
 * The first child of the process's first child. In a sandbox, that is the program, with its id as seen from outside the
 * sandbox.
 */
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

/** Sends a signal. If the process no longer exists, that is not an error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Approximately how many processes are counted at most, since an agent may have started any number. */
const maxCounted = 200

/**
 * Bytes of memory that a process and all its descendants currently use. Shared memory is counted for each of them.
 * Undefined if the process is gone, or without /proc.
 */
export async function residentBytes(pid: number): Promise<number | undefined> {
  const tree = [pid]
  for (let next = 0; next < tree.length && tree.length < maxCounted; next += 1) {
    tree.push(...(await childrenOf(tree[next]!)))
  }
  const [own, ...others] = await Promise.all(tree.map(bytesOf))
  return own === undefined ? undefined : others.reduce<number>((sum, bytes) => sum + (bytes ?? 0), own)
}

async function programsBelow(pid: number, own: string): Promise<string[]> {
  const children = (await childrenOf(pid)).slice(0, maxCounted)
  const found = await Promise.all(
    children.map(async (child) => {
      const line = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')
      return line.includes(own) ? programsBelow(child, own) : [line.replaceAll('\0', ' ').trim()]
    }),
  )
  // A zombie has no command line.
  return found.flat().filter((line) => line !== '')
}

/** The children of the process's main thread, from which Claude Code starts programs. */
async function childrenOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'latin1').catch(() => '')
  return children
    .split(' ')
    .map(Number)
    .filter((child) => child > 0)
}

async function bytesOf(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '')
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}
