import { IrisError } from '../../base/protocol/error.ts'

/** SQLite's primary result codes for problems outside Iris, with the remedy for each. */
const troubles = new Map<number, { readonly why: string; readonly remedy: string }>([
  [3, { why: 'it may not be accessed', remedy: 'Let the user who runs Iris write to it.' }],
  [
    5,
    {
      why: 'another program has locked it',
      remedy: 'Close the program that has it open, such as a backup or a database browser.',
    },
  ],
  [6, { why: 'it is locked', remedy: 'Close the program that has it open, such as a backup or a database browser.' }],
  [8, { why: 'it can only be read', remedy: 'Make the file, its directory and its disk writable.' }],
  [10, { why: 'the disk is failing', remedy: 'Check the disk of IRIS_HOME: it may be full, missing or broken.' }],
  [13, { why: 'the disk is full', remedy: 'Free up space on the disk of IRIS_HOME.' }],
  [14, { why: 'it cannot be opened', remedy: 'Check that its directory exists and is writable.' }],
])

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const damageCodes = new Set([11, 26])

/** The primary result code, if SQLite itself raised the error. */
function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined
  return error.errcode & 0xff
}

/** Whether another connection holds the lock. */
export function isLocked(error: unknown): boolean {
  return codeOf(error) === 5
}

/** Whether SQLite found the file to be corrupt, or not a database at all. */
export function isDamage(error: unknown): boolean {
  const code = codeOf(error)
  return code !== undefined && damageCodes.has(code)
}

/**
 * Turns a problem outside Iris into `store_unavailable`; returns any other error unchanged. The remedy applies to a
 * running daemon, to one that could not start, and to commands that use the store without a daemon.
 */
export function storeError(path: string, error: unknown): unknown {
  const trouble = troubles.get(codeOf(error) ?? -1)
  if (trouble === undefined || !(error instanceof Error)) return error
  return new IrisError(
    'store_unavailable',
    `The store ${path} cannot be used: ${trouble.why} (${error.message}).`,
    `${trouble.remedy} Then try again. A running daemon needs no restart.`,
    { cause: error },
  )
}

/** The error of every call after damage was found, until the restart that repairs it. */
export function damagedError(path: string, why: string): IrisError {
  return new IrisError(
    'store_unavailable',
    `The store ${path} is damaged: ${why}.`,
    'Restart Iris (iris stop, then iris start). It sets the file aside and builds a new one from its readable parts and from the conversations, which are separate files.',
  )
}

export function isStoreTrouble(error: unknown): boolean {
  return error instanceof IrisError && error.code === 'store_unavailable'
}
