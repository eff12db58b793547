import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { refuseOtherThanFile } from './plain-store.ts'
import { isDamage, isLocked } from './store-trouble.ts'

/** The lock of an IRIS_HOME, which one daemon holds. `pid` is the holder's process id, if the system reports it. */
export type Lock =
  | { readonly state: 'free' | 'broken' }
  | { readonly state: 'held'; readonly pid: number | undefined }
  | { readonly state: 'unknown'; readonly why: string }

/** The state of the lock. Does not take the lock. */
export async function lockOf(path: string): Promise<Lock> {
  const facts = statSync(path, { throwIfNoEntry: false })
  if (facts === undefined) return { state: 'free' }
  try {
    refuseOtherThanFile(path)
    using database = new DatabaseSync(path, { readOnly: true, timeout: 0 })
    database.prepare('SELECT count(*) FROM sqlite_schema').get()
    return { state: 'free' }
  } catch (error) {
    if (isLocked(error)) return { state: 'held', pid: await writerOf(facts.ino) }
    if (isDamage(error)) return { state: 'broken' }
    return { state: 'unknown', why: error instanceof Error ? error.message : String(error) }
  }
}

/** The pid from /proc/locks, whose rows are like `3: POSIX  ADVISORY  WRITE 1234 08:01:5678 1073741826 1073742335`. */
async function writerOf(inode: number): Promise<number | undefined> {
  const rows = await readFile('/proc/locks', 'latin1').catch(() => '')
  for (const row of rows.split('\n')) {
    const [, , , kind, pid, file] = row.trim().split(/\s+/)
    if (kind === 'WRITE' && file?.endsWith(`:${inode}`) && Number(pid) > 0) return Number(pid)
  }
  return undefined
}
