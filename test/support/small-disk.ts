import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A command line that gives whatever follows it a disk of its own of so many KiB in the place of a directory, with what
 * lies in it. Nobody outside sees that disk, and it goes with the last process in there. An ordinary user needs a user
 * namespace for it.
 */
export function withSmallDisk(directory: string, kibibytes: number): readonly string[] {
  const user = process.geteuid!() === 0 ? [] : ['--user', '--map-root-user']
  return ['unshare', ...user, '--mount', 'sh', '-c', mountAndGoOn, `size=${kibibytes}k,mode=0700`, directory]
}

const mountAndGoOn = `
set -e
aside=$(mktemp -d)
cp -a "$1/." "$aside"
mount -t tmpfs -o "$0" iris "$1"
cp -a "$aside/." "$1"
rm -rf "$aside"
shift
exec "$@"`

/** Where a process has its files, as others can reach them: its disks may be its own. */
export function pathIn(pid: number, path: string): string {
  return join(`/proc/${pid}/root`, path)
}

/** Leaves no byte free on the disk of a directory. Returns what makes room again. */
export function fillDisk(directory: string): () => void {
  const filler = join(directory, 'filler')
  for (let free = freeBytes(directory); free > 0; free = freeBytes(directory)) {
    try {
      writeFileSync(filler, Buffer.alloc(free, 'x'), { flag: 'a' })
    } catch (error) {
      // Iris writes at the same time: the next look says whether anything is left.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
  return () => rmSync(filler)
}

function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}
