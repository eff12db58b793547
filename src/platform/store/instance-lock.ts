import { chmodSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeDirectory } from '../../base/lib/make-directory.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { refuseOtherThanFile } from './plain-store.ts'
import { isLocked } from './store-trouble.ts'

/**
 * Ensures one daemon per IRIS_HOME. The lock is SQLite's exclusive lock on a separate file. The kernel releases it as
 * soon as the process with the lock dies, however it dies. Returns the function that releases the lock. `holder`
 * describes the process with the lock as " (pid …)", or as an empty text. Throws `already_running` or
 * `store_unavailable`.
 */
export function lockInstance(path: string, holder: () => string): () => void {
  let database: DatabaseSync | undefined
  try {
    makeDirectory(dirname(path))
    refuseOtherThanFile(path)
    database = new DatabaseSync(path, { timeout: 0 })
    const taken = database
    taken.exec('BEGIN EXCLUSIVE')
    chmodSync(path, 0o600)
    return () => taken.close()
  } catch (error) {
    database?.close()
    if (error instanceof IrisError) throw error
    throw isLocked(error) ? alreadyRunning(holder(), error) : notWritable(path, error)
  }
}

function alreadyRunning(holder: string, cause: unknown): IrisError {
  const message = `A daemon is already running for this IRIS_HOME${holder}.`
  return new IrisError('already_running', message, 'Use it, or run "iris stop" first.', { cause })
}

function notWritable(path: string, cause: unknown): IrisError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new IrisError(
    'store_unavailable',
    `The lock ${path} cannot be acquired: ${why}.`,
    'Check that IRIS_HOME and its contents belong to the user who runs Iris and are writable, and that the disk is not full. If the file itself is damaged, delete it: it contains no data.',
    { cause },
  )
}
