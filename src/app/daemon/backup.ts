import { existsSync, linkSync, lstatSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { backup as copyDatabase, DatabaseSync } from 'node:sqlite'
import { systemClock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { irisVersion } from '../../base/protocol/version.ts'
import { defaultDatabasePath, type Environment, homePaths, irisHome } from '../../platform/config/home.ts'
import { thisHome } from '../../platform/config/home-record.ts'
import { storePath } from '../../platform/config/store-path.ts'
import { makeFilesPrivate } from '../../platform/machine/private-files.ts'
import { refuseOtherThanFile } from '../../platform/store/plain-store.ts'
import { syncPath } from '../../platform/store/set-aside.ts'
import { damagedError, isDamage } from '../../platform/store/store-trouble.ts'
import { BackupFile } from './backup-file.ts'
import { removeLeftovers } from './remove-leftovers.ts'

/**
 * More pages than any store has. All pages are then copied in one step, so they show one moment, and a writer cannot
 * make the copying start over.
 */
const allPages = 2 ** 31 - 1

/** Files and directories of a home that are copied as they are. */
const kept = ['config.yaml', 'teams.json', 'templates', 'data/transcripts', 'output_streams']
/** Files that a daemon recreates, or that make sense only in their present place. The store is copied separately. */
const never =
  /^(daemon\.(json|sock)|(data\/)?home\.json|store\.json|installed\.json|logs\/.*|data\/(lock\.db|starting|search\.db|session-mcp|turns|sandbox-logins|probe\.json|team-sessions\.db).*|.*\.new)$/

/**
 * Writes a whole home into one new file, whether or not its daemon is running: first a snapshot of the store, then the
 * files. Afterwards `path` has the complete backup or does not exist. Throws `invalid_input` if `path` is taken,
 * `store_unavailable`, and `config_invalid` if config.yaml does not show where the store is.
 */
export async function backup(env: Environment, path: string, withTokens: boolean) {
  const home = irisHome(env)
  if (!existsSync(home))
    throw new IrisError('not_found', `Iris has no home at ${home}.`, 'Set IRIS_HOME to the right directory.')
  if (existsSync(path)) throw taken(path)
  if (isWithin(path, home))
    throw new IrisError(
      'invalid_input',
      `${path} is inside the home to back up, so the backup would include itself.`,
      'Choose a file elsewhere.',
    )
  const place = dirname(path)
  if (!existsSync(place))
    throw new IrisError('not_found', `There is no directory ${place}.`, 'Make it first, or name a file elsewhere.')
  const store = await storePath(home, env)
  const files = makeFilesPrivate()
  const part = `${path}.part-${process.pid}`
  try {
    removeLeftovers(`${path}.part`)
    const made = await writeInto(part, { home, store, withTokens })
    syncPath(part)
    putAt(part, path)
    return made
  } catch (error) {
    if (error instanceof IrisError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new IrisError(
      'store_unavailable',
      `The backup could not be written: ${why}. The incomplete file was removed.`,
      'Check that the disk has space and that the directory is writable.',
      { cause: error },
    )
  } finally {
    for (const end of ['', '-journal', '-store', '-store-journal']) rmSync(part + end, { force: true })
    files.restore()
  }
}

/** Links are followed. A missing directory is reported later, when the backup is written. */
function isWithin(path: string, home: string): boolean {
  const directory = dirname(resolve(path))
  const real = existsSync(directory) ? realpathSync(directory) : directory
  return !relative(realpathSync(home), real).startsWith('..')
}

/** Gives the finished file its name, unless another backup has taken that name meanwhile. */
function putAt(part: string, path: string): void {
  try {
    linkSync(part, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' && !existsSync(path)) return renameSync(part, path)
    throw taken(path)
  }
}

function taken(path: string): IrisError {
  return new IrisError(
    'invalid_input',
    `${path} already exists, and a backup never overwrites a file.`,
    'Choose another file.',
  )
}

interface Source {
  readonly home: string
  /** The database. */
  readonly store: string
  readonly withTokens: boolean
}

async function writeInto(part: string, { home, store, withTokens }: Source) {
  const inside = relative(home, store).replaceAll(sep, '/')
  const storeName = inside.startsWith('..') ? defaultDatabasePath : inside
  const made = { format: 1, version: irisVersion, at: systemClock.now(), store: storeName } as const
  using file = BackupFile.made(part)
  const count = { files: 0, bytes: 0 }
  const add = (name: string, from: string): void => {
    count.bytes += file.add(name, from)
    count.files += 1
  }
  // The store comes first: transcripts may be newer than the store, as after a crash, but never older.
  if (existsSync(store)) {
    await copyStore(store, storePart(part))
    add(storeName, storePart(part))
  }
  const leftOut: string[] = []
  for (const name of filesIn(home)) {
    const isKept = kept.some((each) => name === each || name.startsWith(`${each}/`))
    if (name.startsWith(storeName) || (!isKept && never.test(name))) continue
    if (isKept || withTokens) ifThere(() => add(name, join(home, name)))
    else if (!tokens.includes(name)) leftOut.push(name)
  }
  file.finish({ ...made, ...thisHome(home), hasTokens: withTokens })
  return { ...count, leftOut }
}

const tokens = [
  'token',
  'owner',
  'tokens',
  'data/tokens.key',
  'data/logins.json',
  'data/cluster.key',
  'data/keeper.json',
]

async function copyStore(store: string, to: string): Promise<void> {
  refuseOtherThanFile(store)
  using source = opened(store)
  await copyDatabase(source, to, { rate: allPages })
}

/** To read a store, SQLite writes files beside it. Throws `store_unavailable` where it cannot. */
function opened(store: string): DatabaseSync {
  let source: DatabaseSync | undefined
  try {
    source = new DatabaseSync(store, { readOnly: true })
    source.prepare('SELECT count(*) FROM sqlite_schema').get()
    return source
  } catch (error) {
    source?.close()
    const why = error instanceof Error ? error.message : String(error)
    if (isDamage(error)) throw damagedError(store, why)
    throw new IrisError(
      'store_unavailable',
      `The store to back up, ${store}, cannot be read: ${why}. No backup was made.`,
      `Check that ${dirname(store)} is writable: SQLite writes files beside a store to read it. If its disk can only be read, copy the home to another disk with "cp -a", and set IRIS_HOME to the copy.`,
      { cause: error },
    )
  }
}

function storePart(part: string): string {
  return `${part}-store`
}

/** A transcript may be deleted meanwhile. */
function ifThere(add: () => void): void {
  try {
    add()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/**
 * Plain files, relative to the home. Only links at the top level and the link to the transcripts are followed: the
 * owner made those.
 */
function filesIn(home: string): readonly string[] {
  const { transcripts } = homePaths(home)
  const tops = readdirSync(home).flatMap((name) => {
    const facts = statSync(join(home, name), { throwIfNoEntry: false })
    if (facts?.isFile()) return [name]
    return facts?.isDirectory() ? below(home, join(home, name)) : []
  })
  const isLink = lstatSync(transcripts, { throwIfNoEntry: false })?.isSymbolicLink() === true
  return isLink && existsSync(transcripts) ? [...tops, ...below(home, transcripts)] : tops
}

/** Follows no link. `readdir` with `recursive` would. */
function below(home: string, directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) return below(home, path)
    return entry.isFile() ? [relative(home, path).replaceAll(sep, '/')] : []
  })
}
