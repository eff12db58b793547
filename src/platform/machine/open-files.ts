import { readFileSync } from 'node:fs'
import { IrisError } from '../../base/protocol/error.ts'

/** The number of open files that a daemon with some processes and connections needs. */
const fewest = 128
/**
 * The number of open files that the daemon itself needs, and the number for each process with its agent's connections.
 */
const ofDaemon = 64
const ofProcess = 8

const raiseLimit = 'Raise the limit where Iris is started: "ulimit -n 1024" in a shell, LimitNOFILE=1024 in a service.'

/** How many files this process may have open at once. Infinity if there is no known limit. */
export function mostOpenFiles(limits = '/proc/self/limits'): number {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync(limits, 'latin1'))?.[1]
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** Throws `file_refused` if the limit is so low that a daemon would sooner or later fail to open a file. */
export function refuseFewOpenFiles(most = mostOpenFiles()): void {
  if (most >= fewest) return
  throw new IrisError(
    'file_refused',
    `Iris may open only ${most} files at once, but needs at least ${fewest}.`,
    raiseLimit,
  )
}

/** A hint that failures may be due to a low limit on open files; undefined if this process may open enough. */
export function fewOpenFilesRemedy(most = mostOpenFiles()): string | undefined {
  return most < fewest ? raiseLimit : undefined
}

/** How many open files this number of processes needs. */
export function openFilesFor(processes: number): number {
  return Math.max(fewest, ofDaemon + ofProcess * processes)
}
