import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { damageMarkOf } from './store.ts'

/**
 * Puts a new store in the place of a damaged one, which is kept beside it, with its log, under the name returned; undefined
 * where there was nothing to keep. The new one is complete, closed and without a log. Killed at any moment, the next start
 * finds a damaged store or a whole one.
 */
export function replaceStore(path: string, made: string, at: number, what = 'corrupt'): string | undefined {
  const aside = freeName(`${path}.${what}-${new Date(at).toISOString().replaceAll(':', '-')}`)
  sync(made)
  const isThere = existsSync(path)
  if (isThere) keep(path, aside)
  for (const companion of ['-wal', '-shm']) {
    if (existsSync(path + companion)) renameSync(path + companion, aside + companion)
  }
  renameSync(made, path)
  sync(dirname(path))
  rmSync(damageMarkOf(path), { force: true })
  return isThere ? aside : undefined
}

/** Under both names until the new one takes the first; some file systems know one name only. */
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

function sync(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
