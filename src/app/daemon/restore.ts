import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { makeDirectory } from '../../base/lib/make-directory.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { type Environment, homePaths, irisHome } from '../../platform/config/home.ts'
import { writeHomeRecord } from '../../platform/config/home-record.ts'
import { storePath } from '../../platform/config/store-path.ts'
import { makeFilesPrivate } from '../../platform/machine/private-files.ts'
import { Adoption } from '../../platform/store/adoption.ts'
import { openDatabase } from '../../platform/store/database.ts'
import { writeRemembered } from '../../platform/store/remembered-store.ts'
import { syncPath } from '../../platform/store/set-aside.ts'
import { storeFactsOf } from '../../platform/store/store-identity.ts'
import { type BackupEntry, BackupFile } from './backup-file.ts'
import { removeLeftovers } from './remove-leftovers.ts'

/**
 * Builds the home in a directory beside its place, and renames that directory when it is complete, so that the home is
 * complete or does not exist. Throws `invalid_input` for an existing home and for a damaged backup, `store_newer`,
 * `store_unavailable`.
 */
export async function restore(env: Environment, path: string) {
  const home = irisHome(env)
  refuseTaken(home)
  if (!existsSync(path))
    throw new IrisError('not_found', `There is no file ${path}.`, 'Use a file that "iris backup" created.')
  using file = BackupFile.opened(path)
  const files = makeFilesPrivate()
  let beside: string | undefined
  try {
    makeDirectory(dirname(home), 0o777)
    removeLeftovers(`${home}.restoring`)
    beside = `${home}.restoring-${process.pid}`
    mkdirSync(beside, { mode: 0o700 })
    const bytes = writeFiles(file, beside)
    const { at: backedUpAt, path: from, mark, store } = file.about
    const left = finishStore(beside, store)
    const named = await storePath(beside, env).catch(() => 'it cannot be read because of a mistake in the file')
    writeHomeRecord(beside, { path: from, mark, ...(left > 0 && { backedUpAt }) })
    syncPath(beside)
    refuseTaken(home)
    renameSync(beside, home)
    syncPath(dirname(home))
    return {
      home,
      files: file.entries().length,
      bytes,
      backedUpAt,
      left,
      from,
      otherStore: named === join(beside, store) ? null : named,
    }
  } catch (error) {
    if (beside !== undefined) rmSync(beside, { recursive: true, force: true })
    if (error instanceof IrisError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new IrisError(
      'store_unavailable',
      `The home could not be restored: ${why}. ${home} is unchanged.`,
      `Check that the disk has space and that ${dirname(home)} is writable.`,
      { cause: error },
    )
  } finally {
    files.restore()
  }
}

function refuseTaken(home: string): void {
  if (!existsSync(home) || readdirSync(home).length === 0) return
  throw new IrisError(
    'invalid_input',
    `${home} is not empty, and a restore never overwrites files.`,
    'Move it away first, or set IRIS_HOME to a directory that does not exist.',
  )
}

function writeFiles(file: BackupFile, into: string): number {
  let bytes = 0
  for (const entry of file.entries()) {
    const path = join(into, inner(entry))
    makeDirectory(dirname(path))
    const to = openSync(path, 'wx', 0o600)
    try {
      for (const piece of file.piecesOf(entry))
        for (let done = 0; done < piece.length; ) done += writeSync(to, piece, done)
      fsyncSync(to)
    } finally {
      closeSync(to)
    }
    bytes += entry.bytes
  }
  return bytes
}

/** Someone else may have made the backup, so its paths must not lead out of the home. */
function inner({ path }: BackupEntry): string {
  const isInner = path !== '' && !path.startsWith('/') && normalize(path) === path && !path.split('/').includes('..')
  if (isInner) return path
  throw new IrisError(
    'invalid_input',
    `The backup contains a file outside the home: ${path}.`,
    'Do not use this backup.',
  )
}

/**
 * Migrates the store to the newest schema, and records the store. Returns how many messages, schedules and posts in it
 * had not ended. Throws `store_newer`.
 */
function finishStore(home: string, name: string): number {
  const path = join(home, name)
  if (!existsSync(path)) return 0
  const store = openDatabase(path)
  try {
    writeRemembered(homePaths(home).storeMemory, storeFactsOf(store))
    const rows = new Adoption(store)
    return rows.messages().length + rows.schedules().length + rows.posts()
  } finally {
    store.close()
  }
}
