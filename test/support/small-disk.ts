import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A command line that gives whatever follows it its own disk of so many KiB in the place of a directory, with what
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

/**
 * Leaves no room for another byte on the disk of a directory. Returns what makes room again. The free bytes that a disk
 * names are no measure: some disks keep a part back, and Iris writes at the same time.
 */
export function fillDisk(directory: string): () => void {
  const filler = join(directory, 'filler')
  const file = openSync(filler, 'a')
  const { bavail, bsize } = statfsSync(directory)
  let piece = Buffer.alloc(Math.max(1, bavail * bsize), 'x')
  while (piece.length > 0) {
    try {
      writeSync(file, piece)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      piece = piece.subarray(0, Math.floor(piece.length / 2))
    }
  }
  closeSync(file)
  return () => rmSync(filler)
}
