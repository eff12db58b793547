import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { sha256 } from '../../base/lib/sha256.ts'

/** The variable that tags every process Iris started and all that those start. */
export const tagVariable = 'IRIS_PROCESS'

/**
 * The living processes (zombies left out) whose environment carries the tag, or one that begins with it and a dot.
 * A process in a session of its own, or given to init, is found all the same. The tag of one start also finds what has thrown
 * its environment away. Linux only; elsewhere empty.
 */
export async function taggedProcesses(tag: string): Promise<number[]> {
  const entries = await readdir('/proc').catch(() => [])
  const pids = entries.map(Number).filter((pid) => pid > 0 && pid !== process.pid)
  // Only the start of one program has a limit of its own.
  const limit = tag.includes('.') ? limitTagOf(tag) : undefined
  const isOfStart = async (pid: number): Promise<boolean> =>
    (await isTagged(pid, tag)) || (limit !== undefined && (await isLimited(pid, limit)))
  const tagged = await Promise.all(pids.map(async (pid) => ((await isOfStart(pid)) ? pid : undefined)))
  return tagged.filter((pid) => pid !== undefined)
}

/** Whether this Iris started it, or something that it started did. */
export async function isTagged(pid: number, tag: string): Promise<boolean> {
  const value = await tagOf(pid)
  if (value !== tag && !value?.startsWith(`${tag}.`)) return false
  return !(await isZombie(pid))
}

/** The tag that a process was started with, of whichever Iris; undefined also when it is gone or not ours to read. */
export async function tagOf(pid: number): Promise<string | undefined> {
  return tagIn(await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => ''))
}

/** The tag in an environment, as /proc has it. */
export function tagIn(environment: string): string | undefined {
  const entry = environment.split('\0').find((line) => line.startsWith(`${tagVariable}=`))
  return entry?.slice(tagVariable.length + 1)
}

/** What has thrown its environment away has this limit still. */
async function isLimited(pid: number, limit: number): Promise<boolean> {
  const limits = await readFile(`/proc/${pid}/limits`, 'latin1').catch(() => '')
  return limit !== ownLimit() && hardLocks(limits) === limit && !(await isZombie(pid))
}

async function isZombie(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ') Z')
  return status.slice(status.lastIndexOf(')') + 2).startsWith('Z')
}

/** Below this a limit leaves too few numbers to tell tags apart. */
const leastCeiling = 2 ** 20

/**
 * A process tag that cannot be taken off: the hard limit on file locks, which Linux has not enforced since 2.4.25. Every
 * descendant inherits it, whatever becomes of its environment, its parents and its namespaces, and only root can raise it.
 * `tag` is the process's other tag, in its environment, of which its Iris and its start count. Undefined where the own limit leaves no room for one.
 */
export function limitTagOf(tag: string): number | undefined {
  const hash = Number.parseInt(sha256(tag.split('.', 2).join('.')).slice(0, 12), 16)
  const ceiling = ownLimit() ?? Number.POSITIVE_INFINITY
  if (ceiling === Number.POSITIVE_INFINITY) return hash
  return ceiling < leastCeiling ? undefined : hash % ceiling
}

/** The limit of a process, infinite where it has none; undefined: it cannot be read, or it has gone. */
export function limitOf(pid: number | 'self'): number | undefined {
  try {
    return hardLocks(readFileSync(`/proc/${pid}/limits`, 'latin1'))
  } catch {
    return undefined
  }
}

function hardLocks(limits: string): number | undefined {
  const hard = /^Max file locks +\S+ +(\d+|unlimited)/m.exec(limits)?.[1]
  if (hard === undefined) return undefined
  return hard === 'unlimited' ? Number.POSITIVE_INFINITY : Number(hard)
}

let own: { readonly limit: number | undefined } | undefined

/** Of this process: one that runs inside an agent has a tag itself. */
export function ownLimit(): number | undefined {
  own ??= { limit: limitOf('self') }
  return own.limit
}
