import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { IrisError } from '../protocol/error.ts'

/**
 * One daemon an IRIS_HOME. The lock is the kernel's (SQLite's exclusive lock on a file of its own), so it is free again
 * the moment its holder is gone, however it went. Returns the function that lets go of it.
 */
export function lockInstance(path: string, holder: () => string): () => void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec('BEGIN EXCLUSIVE')
    chmodSync(path, 0o600)
  } catch (error) {
    database.close()
    throw new IrisError(
      'already_running',
      `A daemon runs for this IRIS_HOME already${holder()}.`,
      'Use it, or run "iris stop" first.',
      {
        cause: error,
      },
    )
  }
  return () => database.close()
}
