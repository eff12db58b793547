import { openSync, readdirSync, readFileSync } from 'node:fs'
import { IrisError } from '../../base/protocol/error.ts'
import { mostOpenFiles } from './open-files.ts'
import { refuseLinuxWithoutProc } from './proc.ts'

/** O_CLOEXEC, as `/proc/self/fdinfo` shows it. */
const closedOnExec = 0o2000000

type Stdio = ['pipe' | 'ignore', 'pipe', 'pipe', ...(number | 'ignore')[]]
let nothing: number | undefined

/**
 * The `stdio` of a program to start: three descriptors and no others. Otherwise each program would inherit the
 * descriptors that the daemon itself inherited; instead it gets /dev/null under their numbers. The daemon keeps these
 * descriptors open, because its starter may hold a lock through one of them. Throws `spawn_failed` on Linux without
 * /proc, and for a descriptor beyond the limit on open files, because no other file can take its number.
 */
export function ownStdio(stdin: 'pipe' | 'ignore' = 'pipe'): Stdio {
  const stdio: Stdio = [stdin, 'pipe', 'pipe']
  const given = passedOn()
  refuseBeyond(given.at(-1) ?? 0)
  for (const descriptor of given) {
    while (stdio.length < descriptor) stdio.push('ignore')
    nothing ??= openSync('/dev/null', 'r+')
    stdio[descriptor] = nothing
  }
  return stdio
}

/** A process that lowers its limit keeps the files that are already open under higher numbers. */
function refuseBeyond(highest: number, most = mostOpenFiles()): void {
  if (highest < most) return
  throw new IrisError(
    'spawn_failed',
    `No program can be started: Iris was started with the open file ${highest}, but may have only ${most} files open, so it could not keep its programs from inheriting this file.`,
    `Raise the limit where Iris is started ("ulimit -n ${highest + 1025}" in a shell), or start it without that file ("iris start ${highest}>&-").`,
  )
}

/** The inherited descriptors, in ascending order. macOS closes them by itself (POSIX_SPAWN_CLOEXEC_DEFAULT). */
function passedOn(): number[] {
  if (process.platform !== 'linux') return []
  refuseLinuxWithoutProc()
  const open = readdirSync('/proc/self/fd').map(Number)
  return open.filter((descriptor) => descriptor > 2 && isPassedOn(descriptor)).toSorted((one, other) => one - other)
}

function isPassedOn(descriptor: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))?.[1] ?? '0'
    return (Number.parseInt(flags, 8) & closedOnExec) === 0
  } catch {
    // This descriptor is already closed: it belonged to the listing itself.
    return false
  }
}
