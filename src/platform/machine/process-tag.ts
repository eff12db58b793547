import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { sha256 } from '../../base/lib/sha256.ts'

/** The environment variable that tags every process of Iris and its descendants. */
export const tagVariable = 'IRIS_PROCESS'

/**
 * The ids of living processes, without zombies, whose environment has the tag, or a tag that begins with it and a dot.
 * Also finds processes in their own session and those adopted by init. With the tag of a single start, also finds
 * processes without that environment, by their limit tag. Works on Linux only; empty elsewhere.
 */
export async function taggedProcesses(tag: string): Promise<number[]> {
  const entries = await readdir('/proc').catch(() => [])
  const pids = entries.map(Number).filter((pid) => pid > 0 && pid !== process.pid)
  // Only the tag of a single start has a limit tag.
  const limit = tag.includes('.') ? limitTagOf(tag) : undefined
  const isOfStart = async (pid: number): Promise<boolean> =>
    (await isTagged(pid, tag)) || (limit !== undefined && (await isLimited(pid, limit)))
  const tagged = await Promise.all(pids.map(async (pid) => ((await isOfStart(pid)) ? pid : undefined)))
  return tagged.filter((pid) => pid !== undefined)
}

/** Whether the process lives and its environment has the tag, or a tag that begins with it and a dot. */
export async function isTagged(pid: number, tag: string): Promise<boolean> {
  const value = await tagOf(pid)
  if (value !== tag && !value?.startsWith(`${tag}.`)) return false
  return !(await isZombie(pid))
}

/** The tag with which a process was started, by any Iris; undefined if it has none, is gone or cannot be read. */
export async function tagOf(pid: number): Promise<string | undefined> {
  return tagIn(await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => ''))
}

/** The tag in an environment in the format of /proc. */
export function tagIn(environment: string): string | undefined {
  const entry = environment.split('\0').find((line) => line.startsWith(`${tagVariable}=`))
  return entry?.slice(tagVariable.length + 1)
}

/** Whether the process has this limit tag, which remains even after a process has cleared its environment. */
async function isLimited(pid: number, limit: number): Promise<boolean> {
  const limits = await readFile(`/proc/${pid}/limits`, 'latin1').catch(() => '')
  return limit !== ownLimit() && hardLocks(limits) === limit && !(await isZombie(pid))
}

async function isZombie(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ') Z')
  return status.slice(status.lastIndexOf(')') + 2).startsWith('Z')
}

/** If this process's own limit is below this, too few numbers are left to distinguish tags. */
const minCeiling = 2 ** 20

/**
 * The limit tag of a process: a hard limit on file locks, which Linux has not enforced since 2.4.25. Every descendant
 * inherits it, whatever its environment, parents and namespaces, and only root can raise it. It is a hash of the first
 * two parts of `tag`, the tag in the environment; these parts identify the Iris and the start. Undefined if this
 * process's own limit is too low.
 */
export function limitTagOf(tag: string): number | undefined {
  const hash = Number.parseInt(sha256(tag.split('.', 2).join('.')).slice(0, 12), 16)
  const ceiling = ownLimit() ?? Number.POSITIVE_INFINITY
  if (ceiling === Number.POSITIVE_INFINITY) return hash
  return ceiling < minCeiling ? undefined : hash % ceiling
}

/**
 * A process's hard limit on file locks; Infinity if it has none, undefined if the process is gone or cannot be read.
 */
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

/** The limit of this process, which is a limit tag if it runs inside an agent. */
export function ownLimit(): number | undefined {
  own ??= { limit: limitOf('self') }
  return own.limit
}
