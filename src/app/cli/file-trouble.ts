import { accessSync, constants, lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { IrisError } from '../../base/protocol/error.ts'

const directory = 'a directory is in its place'
const moveAway = 'Check what it is with "ls -ld", then move it out of the way.'

/** File system errors that a person can resolve. */
const troubles: Readonly<Record<string, readonly [why: string, remedy: string]>> = {
  EACCES: ['permission denied', 'See whose it is with "ls -ld", and give yourself the right to write it.'],
  EPERM: ['the system does not allow it', 'See whose it is with "ls -ld", and give yourself the right to write it.'],
  EROFS: [
    'its file system is read-only',
    'Make that disk writable, or set IRIS_HOME to a directory on a disk that can be written.',
  ],
  ENOSPC: ['the disk is full', 'Free up space on that disk, then try again.'],
  EDQUOT: ['your quota on that disk is used up', 'Free up space on that disk, then try again.'],
  ENOTDIR: [
    'a part of its path is not a directory',
    'Move away whatever is in its place, or set IRIS_HOME to another directory.',
  ],
  ENOENT: ['nothing can be created there', 'Set IRIS_HOME to a directory on a disk that can be written.'],
  EEXIST: ['what is in its place is not a directory', moveAway],
  EISDIR: [directory, moveAway],
  ERR_FS_EISDIR: [directory, moveAway],
  ENOTSUP: ['it is not a regular file of normal size', moveAway],
  ELOOP: ['its links form a loop', moveAway],
  ENAMETOOLONG: [
    'its name is too long',
    'Use a shorter path: each name can have at most 255 bytes, and the whole path 4095.',
  ],
  EMFILE: ['too many files are open', 'Close some programs, or raise the limit with "ulimit -n".'],
}

/** Explains an error of the file system; undefined for any other error. */
export function fileTrouble(error: unknown): IrisError | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', syscall, ...named }: NodeJS.ErrnoException & { readonly dest?: string } = error
  // If a file was to replace a directory, `dest` names that directory.
  const path = (code === 'EISDIR' && named.dest) || (named.path ?? 'A file')
  const leadsNowhere = code === 'ENOENT' && isLink(path)
  if (code === 'ENOENT' && syscall !== 'mkdir' && !leadsNowhere) return undefined
  // `rmSync` gives no code for a disk that can only be read.
  const isUnnamed = code === 'ENOENT' ? !leadsNowhere : code === '' && syscall === 'rm'
  const found = isUnnamed ? behindMissing(path) : { code, path }
  if (code === '' && found.code === 'ENOENT') return undefined
  const [why, remedy] = leadsNowhere ? ['its link points nowhere', moveAway] : (troubles[found.code] ?? [])
  if (why === undefined || remedy === undefined) return undefined
  return new IrisError('file_refused', `${found.path} cannot be used: ${why} (${found.code}).`, remedy, {
    cause: error,
  })
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}

/**
 * An unreadable home does not show whether Iris runs, so this throws the system's error, which `fileTrouble` explains.
 */
export function refuseUnreadable(home: string): void {
  try {
    accessSync(home, constants.R_OK | constants.X_OK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') throw error
  }
}

/** Node reports ENOENT when a parent is not writable; the nearest existing parent gives the real error. */
function behindMissing(path: string): { readonly code: string; readonly path: string } {
  const parent = dirname(path)
  try {
    accessSync(parent, constants.W_OK)
    return { code: 'ENOENT', path }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    return code === 'ENOENT' && parent !== path ? behindMissing(parent) : { code, path: parent }
  }
}
