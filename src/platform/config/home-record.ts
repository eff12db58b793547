import { realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { isRecord } from '../../base/lib/is-record.ts'
import { makeDirectory } from '../../base/lib/make-directory.ts'
import { plainFile } from '../../base/lib/plain-file.ts'
import { replaceFile } from '../../base/lib/replace-file.ts'
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
  /**
   * If this home was restored from a backup and has unfinished messages: when that backup was made, milliseconds since
   * the epoch.
   */
  readonly backedUpAt?: number | undefined
  /**
   * Real paths of the places where this home was before it was moved or restored. A home may reappear at one of them.
   */
  readonly former?: readonly string[] | undefined
}

/** How many former places a home remembers. */
const maxFormer = 20

/** Why a person must decide what to do with the messages in a home. */
export type Adoptable =
  /** `of` is the original home, which still exists. */
  { readonly kind: 'copy'; readonly of: string } | { readonly kind: 'restored'; readonly backedUpAt: number }

/**
 * Why a home cannot be used without a person's decision. `linked`: it shares files with another home, so it cannot be
 * adopted either.
 */
export type Unadopted = Adoptable | { readonly kind: 'linked'; readonly of: string }

/** Returns the identity of a home's store, as Iris remembers it; undefined if there is no store. */
export type IdentityOf = (home: string) => number | undefined

/**
 * Undefined for a home that can simply be used: a new, unmoved or moved one. It is a copy only if another home with the
 * same store still exists in the old place, or if it shares files with another home.
 */
export function unadoptedIn(home: string, identityOf: IdentityOf): Unadopted | undefined {
  const { homeRecord, homeRecordCopy, lock, database } = homePaths(home)
  const record = recordIn(homeRecord) ?? recordIn(homeRecordCopy)
  if (record === undefined) return undefined
  const { path, backedUpAt } = record
  const isSame = isMarked(lock, record)
  if (!isSame && [lock, database].some(hasOtherNames)) return { kind: 'linked', of: path }
  const places = [...(isSame ? [] : [path]), ...(record.former ?? [])].filter((place) => place !== realpathSync(home))
  const identity = places.length === 0 ? undefined : identityOf(home)
  const original = places.find((place) => identityOf(place) === identity && !isOneHome(place, home))
  if (identity !== undefined && original !== undefined) return { kind: 'copy', of: original }
  return backedUpAt === undefined ? undefined : { kind: 'restored', backedUpAt }
}

/** Throws `not_adopted`. */
export function refuseUnadopted(home: string, found: Unadopted | undefined): void {
  if (found !== undefined) throw notAdopted(home, found)
}

export function notAdopted(home: string, found: Unadopted): IrisError {
  return new IrisError('not_adopted', unadoptedText(home, found), adopting(home, found))
}

/** What the owner can do with a home that needs a decision. */
export function adopting(home: string, { kind }: Unadopted): string {
  return kind === 'linked' ? unlinking(home) : 'Run "iris adopt": it shows them, and what you can do.'
}

/** The remedy for a home that shares files with another one. */
export function unlinking(home: string): string {
  const copy = shellQuoted(`${home}.copy`)
  return `Make a copy with files of its own, and use that one: cp -a ${shellQuoted(home)} ${copy}. Or remove the other home, if you no longer need it.`
}

export function unadoptedText(home: string, found: Unadopted): string {
  if (found.kind === 'linked') {
    return `${home} is a copy of ${found.of} by hard links: whatever one of them writes to its store appears in both. Iris does not start here.`
  }
  if (found.kind === 'copy') {
    return `${home} is a copy of ${found.of}, which is still there. Iris does not start here until you decide what happens to its running and waiting messages.`
  }
  const at = new Date(found.backedUpAt).toISOString()
  return `${home} was restored from a backup of ${at}, with running and waiting messages. Iris does not start here until you decide what happens to them.`
}

/** Whether both paths are the same home: a link or a mount may lead from its former place to the current one. */
function isOneHome(one: string, other: string): boolean {
  const { lock } = homePaths(one)
  return isMarked(homePaths(other).lock, { mark: homeMark(lock), directory: directoryMark(lock) })
}

export function thisHome(home: string): HomeRecord {
  const { lock } = homePaths(home)
  return { path: realpathSync(home), mark: homeMark(lock), directory: directoryMark(lock) }
}

/** The record of this home, with the places of the homes whose conversations it continues. */
export function movedHome(home: string): HomeRecord {
  const former = formerPlaces(home)
  return { ...thisHome(home), ...(former.length > 0 && { former }) }
}

/** The former places from which this home was moved or restored, latest last; real paths. */
export function formerPlaces(home: string): readonly string[] {
  const { homeRecord, homeRecordCopy } = homePaths(home)
  const record = recordIn(homeRecord) ?? recordIn(homeRecordCopy)
  if (record === undefined) return []
  const here = realpathSync(home)
  // A home that still has its mark was only renamed: whatever is in its former place now is the copy.
  const latest = isMarked(homePaths(home).lock, record) ? [] : [record.path]
  const places = [...(record.former ?? []), ...latest].filter((place) => place !== here)
  return [...new Set(places)].slice(-maxFormer)
}

/**
 * Writes the record atomically, in two places: a copy that lost `home.json` on the way must not pass for the original.
 * The authoritative file is written last. Throws the system's error.
 */
export function writeHomeRecord(home: string, record: HomeRecord): void {
  const { homeRecord, homeRecordCopy } = homePaths(home)
  makeDirectory(dirname(homeRecordCopy))
  for (const path of [homeRecordCopy, homeRecord]) replaceFile(path, `${JSON.stringify(record)}\n`)
}

function recordIn(file: string): HomeRecord | undefined {
  try {
    const read: unknown = JSON.parse(plainFile(file))
    const { path, mark, directory, backedUpAt, former } = isRecord(read) ? read : {}
    if (typeof path !== 'string') return undefined
    return {
      path,
      ...(typeof mark === 'string' && { mark }),
      ...(typeof directory === 'string' && { directory }),
      ...(typeof backedUpAt === 'number' && { backedUpAt }),
      ...(Array.isArray(former) && { former: former.filter((place) => typeof place === 'string') }),
    }
  } catch {
    return undefined
  }
}
