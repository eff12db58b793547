import { isAbsolute, resolve } from 'node:path'
import { hasControl } from '../hosts/shell-words.ts'
import { type Directory, findDirectory, Listings } from '../machine/directory.ts'
import type { TeamConfig, UnusableDirectory } from './config.ts'
import { type Environment, expandTilde } from './home.ts'
import { isInside } from './is-inside.ts'
import { type KeyPath, keyText, type ProblemList, quoted, shown, type Words } from './problem.ts'
import { asEntry, teamEntries } from './team-rules.ts'

export interface DiskContext {
  /** Iris's home; only used to suggest an absolute path. */
  readonly home: string
  readonly env: Environment
  /** The user who must own the directories; undefined if the system has no owners. */
  readonly uid: number | undefined
  readonly problems: ProblemList
  /** Default: the current listings on the disk. */
  readonly listings?: Listings
}

export type TeamDirectory = Pick<TeamConfig, 'path' | 'realPath' | 'unusable'>

export interface Directories {
  /**
   * The real path of each root in `settings.allowedRoots`, or its written path if it is unusable. Undefined if the key
   * is not set.
   */
  readonly allowedRoots: readonly string[] | undefined
  readonly teams: ReadonlyMap<string, TeamDirectory>
  readonly unusable: readonly UnusableDirectory[]
}

const allowedPath = 'an absolute path, or one that begins with ~/'

/**
 * Looks up on the disk every directory that an unchecked tree names. A path that cannot be right is a mistake. A
 * directory that cannot be used in the current state of the disk breaks only its team (decision 0166).
 */
export async function findDirectories(
  tree: unknown,
  { listings = new Listings(), ...given }: DiskContext,
): Promise<Directories> {
  const context: Context = { ...given, listings, unusable: new Map() }
  const allowedRoots = await findRoots(asEntry(asEntry(tree)?.['settings'])?.['allowedRoots'], context)
  const teams = new Map<string, FoundTeam>()
  const byPlace = new Map<string, FoundTeam>()
  for (const [name, entry] of teamEntries(tree)) {
    const key = ['teams', name, entry['path'] === undefined ? 'project' : 'path']
    const written = entry[key[2]!]
    const { remote } = entry
    if (remote !== undefined) {
      const path = pathElsewhere(written, key, context.problems)
      if (path === undefined) continue
      const team = { name, key, path, realPath: path }
      checkAlone(`${JSON.stringify(remote)}:${path}`, team, byPlace, context)
      teams.set(name, team)
      continue
    }
    const found = await find(written, key, context)
    if (!found) continue
    const { path, directory } = found
    const team = { name, key, path, realPath: directory?.realPath ?? path }
    if (directory !== undefined) checkPlace(path, directory, key, allowedRoots, context)
    checkAlone(team.realPath, team, byPlace, context)
    teams.set(name, team)
  }
  const { unusable } = context
  return {
    allowedRoots: allowedRoots === 'unknown' ? undefined : allowedRoots,
    teams: new Map([...teams].map(([name, team]) => [name, withTrouble(team, unusable)])),
    unusable: [...unusable.values()],
  }
}

interface Context extends DiskContext {
  readonly listings: Listings
  /** By key. */
  readonly unusable: Map<string, UnusableDirectory>
}

interface FoundTeam {
  readonly name: string
  readonly key: KeyPath
  readonly path: string
  readonly realPath: string
}

/** An unusable directory keeps its written path: nothing may happen where it leads. */
function withTrouble({ key, path, realPath }: FoundTeam, unusable: Context['unusable']): TeamDirectory {
  const trouble = unusable.get(keyText(key))
  if (trouble === undefined) return { path, realPath }
  return { path, realPath: path, unusable: { what: trouble.what, remedy: trouble.remedy } }
}

/** Records only the first problem of a directory. */
function breakAt(path: string, key: KeyPath, words: Words, { problems, unusable }: Context): void {
  const name = keyText(key)
  if (unusable.has(name)) return
  problems.reportOnDisk(key, words)
  const [section, team] = key
  const isTeam = section === 'teams'
  const whose = isTeam ? `The directory of team "${team}"` : 'A root of settings.allowedRoots'
  const what = `${whose}, ${shown(path)}, ${words.problem}.`
  const { remedy } = words
  unusable.set(name, isTeam ? { key: name, team: String(team), what, remedy } : { key: name, what, remedy })
}

/** The path without redundant parts. Nothing is looked up, because only the other machine could do that. */
function pathElsewhere(value: unknown, key: KeyPath, problems: ProblemList): string | undefined {
  if (typeof value !== 'string' || value === '' || value.includes('\0')) return undefined
  const names = value.split('/').filter((name) => name !== '' && name !== '.')
  const problem = !value.startsWith('/')
    ? 'is not an absolute path, and this team is on another machine'
    : names.includes('..')
      ? 'contains ".."'
      : hasControl(value)
        ? 'contains a line break or another control character'
        : undefined
  if (problem === undefined) return `/${names.join('/')}`
  problems.report(key, {
    problem,
    allowed: 'the absolute path of a directory of that machine',
    remedy: 'Write the full path, as pwd -P prints it there.',
  })
  return undefined
}

type Roots = readonly string[] | undefined | 'unknown'
type Found = Extract<Directory, { kind: 'found' }>

async function findRoots(value: unknown, context: Context): Promise<Roots> {
  if (value === undefined && !context.problems.isUnread(['settings', 'allowedRoots'])) return undefined
  if (!Array.isArray(value)) return 'unknown'
  const found: NonNullable<Awaited<ReturnType<typeof find>>>[] = []
  for (const [index, root] of value.entries()) {
    const one = await find(root, ['settings', 'allowedRoots', index], context)
    if (one !== undefined) found.push(one)
  }
  // Nothing that exists is inside a root that does not exist. If a root is not a path, even a correct team would seem
  // to be outside the roots.
  return found.length === value.length ? found.map(({ path, directory }) => directory?.realPath ?? path) : 'unknown'
}

/**
 * Undefined if the value is not an absolute path. In the result, `directory` is undefined if the directory cannot be
 * used.
 */
async function find(value: unknown, key: KeyPath, context: Context) {
  const { home, env, problems, listings } = context
  // Other types, and text that cannot be a path, are reported with the shape.
  if (typeof value !== 'string' || value === '' || value.includes('\0')) return undefined
  const path = expandTilde(value, env)
  if (!isAbsolute(path)) {
    const remedy = `Write the full path: ${shown(resolve(home, path))}, if you meant it relative to config.yaml.`
    problems.report(key, { problem: 'is a relative path', allowed: allowedPath, remedy })
    return undefined
  }
  const directory = await findDirectory(path, listings)
  if (directory.kind === 'found') return { path, directory }
  const words = wordsFor(directory, path, key)
  breakAt(path, key, { allowed: 'the path of a directory, spelt as on the disk', ...words }, context)
  return { path, directory: undefined }
}

function wordsFor(directory: Exclude<Directory, Found>, path: string, [section, name]: KeyPath) {
  switch (directory.kind) {
    case 'misspelt':
      return {
        problem: 'is spelled differently on the disk; capitals matter',
        remedy: `Write ${shown(directory.spelling)}.`,
      }
    case 'missing':
      return {
        problem: `does not exist: ${shown(directory.parent)} does not contain ${quoted(directory.name)}`,
        remedy:
          section === 'teams'
            ? `Correct the path, create the directory, or remove the team with "iris config unset teams.${name}".`
            : 'Correct the path, or create the directory.',
      }
    case 'no_directory':
      return { problem: 'is a file', remedy: 'Name the directory that it is in.' }
    case 'unreadable':
      return {
        problem: `cannot be accessed (${directory.code})`,
        remedy: `See why with: ls -ld ${quoted(path)}`,
      }
  }
}

function checkPlace(path: string, { realPath, owner }: Found, key: KeyPath, roots: Roots, context: Context): void {
  const { uid } = context
  if (roots === 'unknown') return
  if (roots === undefined) {
    if (uid === undefined || owner === uid) return
    const words = {
      problem: 'belongs to another user',
      allowed: 'a directory of your own, or any directory inside settings.allowedRoots',
      remedy: `Name a directory above it under settings.allowedRoots, if you trust the contents of ${shown(realPath)}.`,
    }
    breakAt(path, key, words, context)
  } else if (!roots.some((root) => isInside(root, realPath))) {
    const words = {
      problem: `leads to ${shown(realPath)}, which is not inside any of settings.allowedRoots`,
      allowed: `a directory inside ${roots.map(shown).join(' or ')}`,
      remedy: 'Move the project, or add a directory above it to settings.allowedRoots.',
    }
    breakAt(path, key, words, context)
  }
}

/**
 * The same path twice is a mistake. Two paths that lead to one directory break the team whose path has become a link;
 * agents can turn their team's path into a link.
 */
function checkAlone(place: string, team: FoundTeam, byPlace: Map<string, FoundTeam>, context: Context): void {
  const other = byPlace.get(place)
  byPlace.set(place, other ?? team)
  if (other === undefined) return
  const { path, realPath } = team
  const isOther = other.path !== realPath && path === realPath
  const words = {
    problem: `teams ${shown(other.name)} and ${shown(team.name)} lead to the same directory, ${shown(realPath)}`,
    allowed: 'one team for each directory',
    remedy: `Remove one of the two, or give ${shown(isOther ? other.name : team.name)} another path.`,
  }
  if (resolve(other.path) === resolve(path)) return context.problems.report(team.key, words)
  const [broken, kept] = isOther ? [other, team] : [team, other]
  const problem = `leads to the directory of team ${shown(kept.name)}, ${shown(realPath)}`
  breakAt(broken.path, broken.key, { problem, allowed: words.allowed, remedy: words.remedy }, context)
}
