import { isAbsolute, resolve } from 'node:path'
import { hasControl } from '../hosts/shell-words.ts'
import { type Directory, findDirectory, Listings } from '../machine/directory.ts'
import { type Environment, expandTilde } from './home.ts'
import { isInside } from './is-inside.ts'
import { type KeyPath, type ProblemList, quoted, shown } from './problem.ts'
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

export interface TeamDirectory {
  readonly path: string
  readonly realPath: string
}

export interface Directories {
  /** Real paths of `settings.allowedRoots`; undefined if that is not set. */
  readonly allowedRoots: readonly string[] | undefined
  readonly teams: ReadonlyMap<string, TeamDirectory>
}

const allowedPath = 'an absolute path, or one that begins with ~/'

/** Looks up every directory of an unchecked tree on the disk, and reports those that cannot be used. */
export async function findDirectories(
  tree: unknown,
  { listings = new Listings(), ...given }: DiskContext,
): Promise<Directories> {
  const context = { ...given, listings }
  const allowedRoots = await findRoots(asEntry(asEntry(tree)?.['settings'])?.['allowedRoots'], context)
  const teams = new Map<string, TeamDirectory>()
  const nameByRealPath = new Map<string, string>()
  for (const [name, entry] of teamEntries(tree)) {
    const which = entry['path'] === undefined ? 'project' : 'path'
    const key = ['teams', name, which]
    const { remote } = entry
    if (remote !== undefined) {
      const path = pathElsewhere(entry[which], key, context.problems)
      if (path === undefined) continue
      checkAlone(`${JSON.stringify(remote)}:${path}`, name, key, nameByRealPath, context.problems)
      teams.set(name, { path, realPath: path })
      continue
    }
    const found = await find(entry[which], key, context)
    if (!found) continue
    const { path, directory } = found
    checkPlace(directory, key, allowedRoots, context)
    checkAlone(directory.realPath, name, key, nameByRealPath, context.problems)
    teams.set(name, { path, realPath: directory.realPath })
  }
  return { allowedRoots: allowedRoots === 'unknown' ? undefined : allowedRoots, teams }
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

async function findRoots(value: unknown, context: DiskContext): Promise<Roots> {
  if (value === undefined && !context.problems.isUnread(['settings', 'allowedRoots'])) return undefined
  if (!Array.isArray(value)) return 'unknown'
  const roots = await Promise.all(
    value.map((root: unknown, index) => find(root, ['settings', 'allowedRoots', index], context)),
  )
  // If a root is missing, a correct team would seem to be outside the roots.
  const found = roots.filter((root) => root !== undefined)
  return found.length === roots.length ? found.map(({ directory }) => directory.realPath) : 'unknown'
}

async function find(value: unknown, key: KeyPath, { home, env, problems, listings }: DiskContext) {
  // Other types, and text that cannot be a path, are reported when the shape is checked.
  if (typeof value !== 'string' || value === '' || value.includes('\0')) return undefined
  const path = expandTilde(value, env)
  if (!isAbsolute(path)) {
    const remedy = `Write the full path: ${shown(resolve(home, path))}, if you meant it relative to config.yaml.`
    problems.report(key, { problem: 'is a relative path', allowed: allowedPath, remedy })
    return undefined
  }
  const directory = await findDirectory(path, listings)
  if (directory.kind === 'found') return { path, directory }
  problems.report(key, { allowed: 'the path of a directory, spelt as on the disk', ...wordsFor(directory, path, key) })
  return undefined
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

function checkPlace({ realPath, owner }: Found, key: KeyPath, roots: Roots, { uid, problems }: DiskContext): void {
  if (roots === 'unknown') return
  if (roots === undefined) {
    if (uid === undefined || owner === uid) return
    problems.report(key, {
      problem: 'belongs to another user',
      allowed: 'a directory of your own, or any directory inside settings.allowedRoots',
      remedy: `Name a directory above it under settings.allowedRoots, if you trust the contents of ${shown(realPath)}.`,
    })
  } else if (!roots.some((root) => isInside(root, realPath))) {
    problems.report(key, {
      problem: `leads to ${shown(realPath)}, which is not inside any of settings.allowedRoots`,
      allowed: `a directory inside ${roots.map(shown).join(' or ')}`,
      remedy: 'Move the project, or add a directory above it to settings.allowedRoots.',
    })
  }
}

function checkAlone(
  realPath: string,
  name: string,
  key: KeyPath,
  nameByRealPath: Map<string, string>,
  problems: ProblemList,
): void {
  const other = nameByRealPath.get(realPath)
  if (other === undefined) {
    nameByRealPath.set(realPath, name)
    return
  }
  problems.report(key, {
    problem: `teams ${shown(other)} and ${shown(name)} lead to the same directory, ${shown(realPath)}`,
    allowed: 'one team for each directory',
    remedy: `Remove one of the two, or give ${shown(name)} another path.`,
  })
}
