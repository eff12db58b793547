import { readFileSync } from 'node:fs'
import { sha256 } from '../lib/sha256.ts'

/** Below this a limit leaves too few numbers to tell tags apart. */
const leastCeiling = 2 ** 20

/**
 * A process tag that cannot be taken off: the hard limit on file locks, which Linux has not enforced since 2.4.25. Every
 * descendant inherits it, whatever becomes of its environment, its parents and its namespaces, and only root can raise it.
 * `mark` is the process's other tag, in its environment, of which its Iris and its start count. Undefined where the own limit leaves no room for one.
 */
export function limitTagOf(mark: string): number | undefined {
  const hash = Number.parseInt(sha256(mark.split('.', 2).join('.')).slice(0, 12), 16)
  const ceiling = ownLimit()
  if (ceiling === undefined) return hash
  return ceiling < leastCeiling ? undefined : hash % ceiling
}

/** The limit of a process as a number; undefined: it has none, or it has gone. */
export function limitOf(pid: number | 'self'): number | undefined {
  try {
    const hard = /^Max file locks +\S+ +(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'latin1'))?.[1]
    return hard === undefined ? undefined : Number(hard)
  } catch {
    return undefined
  }
}

let own: { readonly limit: number | undefined } | undefined

/** Of this process: one that runs inside an agent has a tag itself. */
export function ownLimit(): number | undefined {
  own ??= { limit: limitOf('self') }
  return own.limit
}
