import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { damageMarkOf } from './store.ts'

/**
 * Replaces the store at `path` with the new one at `made`, which must be complete, closed and without a log. Keeps the
 * old file and its log under the returned name, which is undefined if there was no old file. After a crash at any
 * moment, the next start finds either the old store or the complete new one.
 */
export function replaceStore(path: string, made: string, at: number, what = 'corrupt'): string | undefined {
  const aside = freeName(`${path}.${what}-${new Date(at).toISOString().replaceAll(':', '-')}`)
  syncPath(made)
  const isThere = existsSync(path)
  if (isThere) keep(path, aside)
  for (const companion of ['-wal', '-shm']) {
    if (existsSync(path + companion)) renameSync(path + companion, aside + companion)
  }
  renameSync(made, path)
  syncPath(dirname(path))
  rmSync(damageMarkOf(path), { force: true })
  return isThere ? aside : undefined
}

/**
 * Links the file to its second name, so that there is always a file at the path. Renames it if links are impossible.
 */
function keep(path: string, aside: string): void {
  try {
    linkSync(path, aside)
  } catch {
    renameSync(path, aside)
  }
}

function freeName(name: string): string {
  for (let count = 1, free = name; ; count++, free = `${name}.${count}`) {
    if (!existsSync(free)) return free
  }
}

/** Returns once a file, or the names in a directory, are on the disk. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
