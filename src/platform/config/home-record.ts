import { realpathSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isRecord } from '../../base/lib/is-record.ts'
import { makeDirectory } from '../../base/lib/make-directory.ts'
import { plainFile } from '../../base/lib/plain-file.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { shellQuoted } from '../hosts/shell-words.ts'
import { homePaths } from './home.ts'
import { directoryMark, hasOtherNames, homeMark, isMarked } from './home-mark.ts'

/** `$IRIS_HOME/home.json`: which home this was when its daemon last started, or when the backup was made. */
export interface HomeRecord {
  /** Real path. */
  readonly path: string
  /** See `homeMark`; absent if the home had no lock yet. */
  readonly mark?: string | undefined
  /** See `directoryMark`; absent if an older Iris wrote the record. */
  readonly directory?: string | undefined
  /** When the backup was made from which this home was restored, with messages that had not ended; since the epoch, milliseconds. */
  readonly backedUpAt?: number | undefined
}

/** Why somebody has to say what becomes of the messages that a home holds. */
export type Adoptable =
  /** `of`: the home of which it is a copy, and which is still there. */
  { readonly kind: 'copy'; readonly of: string } | { readonly kind: 'restored'; readonly backedUpAt: number }

/** Why a home does not go on by itself. `linked`: it has the very files of another home, so it cannot be adopted either. */
export type Unadopted = Adoptable | { readonly kind: 'linked'; readonly of: string }

/** Returns the identity of a home's store, as Iris remembers it; undefined: there is no store. */
export type IdentityOf = (home: string) => number | undefined

/**
 * Undefined for a home that goes on by itself: a new one, one in its place, or one that was moved. It is a copy only if
 * there still is another home with the same store where it was, or if it has the very files of another one.
 */
export function unadoptedIn(home: string, identityOf: IdentityOf): Unadopted | undefined {
  const { homeRecord, homeRecordCopy, lock, database } = homePaths(home)
  const record = recordIn(homeRecord) ?? recordIn(homeRecordCopy)
  if (record === undefined) return undefined
  const { path, backedUpAt } = record
  const isSame = isMarked(lock, record)
  if (!isSame && [lock, database].some(hasOtherNames)) return { kind: 'linked', of: path }
  const identity = identityOf(home)
  const isCopy = !isSame && path !== realpathSync(home) && identity !== undefined && identity === identityOf(path)
  if (isCopy) return { kind: 'copy', of: path }
  return backedUpAt === undefined ? undefined : { kind: 'restored', backedUpAt }
}

/** Throws `not_adopted`. */
export function refuseUnadopted(home: string, found: Unadopted | undefined): void {
  if (found !== undefined) throw notAdopted(home, found)
}

export function notAdopted(home: string, found: Unadopted): IrisError {
  return new IrisError('not_adopted', unadoptedText(home, found), adopting(home, found))
}

/** What to do with such a home. */
export function adopting(home: string, { kind }: Unadopted): string {
  return kind === 'linked' ? unlinking(home) : 'Run "iris adopt": it shows them, and what you can do.'
}

/** What to do with a home that has the files of another one. */
export function unlinking(home: string): string {
  const copy = shellQuoted(`${home}.copy`)
  return `Make a copy with files of its own, and use that one: cp -a ${shellQuoted(home)} ${copy}. Or remove the other home, if you no longer need it.`
}

export function unadoptedText(home: string, found: Unadopted): string {
  if (found.kind === 'linked') {
    return `${home} is a copy of ${found.of} by hard links: what one writes to its store is in both. Iris does not start here.`
  }
  if (found.kind === 'copy') {
    return `${home} is a copy of ${found.of}, which is still there. Iris does not start here before you say what becomes of the messages that ran or waited in it.`
  }
  const at = new Date(found.backedUpAt).toISOString()
  return `${home} was restored from a backup of ${at}, with messages that ran or waited. Iris does not start here before you say what becomes of them.`
}

export function thisHome(home: string): HomeRecord {
  const { lock } = homePaths(home)
  return { path: realpathSync(home), mark: homeMark(lock), directory: directoryMark(lock) }
}

/**
 * Written atomically, in two places: a copy that lost `home.json` on the way must not take itself for the original. The one
 * that counts comes last. Throws the system's error.
 */
export function writeHomeRecord(home: string, record: HomeRecord): void {
  const { homeRecord, homeRecordCopy } = homePaths(home)
  makeDirectory(dirname(homeRecordCopy))
  for (const path of [homeRecordCopy, homeRecord]) {
    writeFileSync(`${path}.new`, `${JSON.stringify(record)}\n`, { mode: 0o600 })
    renameSync(`${path}.new`, path)
  }
}

function recordIn(file: string): HomeRecord | undefined {
  try {
    const read: unknown = JSON.parse(plainFile(file))
    const { path, mark, directory, backedUpAt } = isRecord(read) ? read : {}
    if (typeof path !== 'string') return undefined
    return {
      path,
      ...(typeof mark === 'string' && { mark }),
      ...(typeof directory === 'string' && { directory }),
      ...(typeof backedUpAt === 'number' && { backedUpAt }),
    }
  } catch {
    return undefined
  }
}
