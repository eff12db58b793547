import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, sep } from 'node:path'

export type Directory =
  | { readonly kind: 'found'; readonly realPath: string; readonly owner: number }
  /** The directory exists under another spelling, for example with different capitals. */
  | { readonly kind: 'misspelt'; readonly spelling: string }
  /** `parent` is the innermost directory that exists, `name` is the first name that is missing in it. */
  | { readonly kind: 'missing'; readonly parent: string; readonly name: string }
  | { readonly kind: 'no_directory' }
  | { readonly kind: 'unreadable'; readonly code: string }

/**
 * Directory listings, each read once, for checking many paths at a time: otherwise, the thousand names in the parent of
 * a thousand sibling projects would be read once for each project.
 */
export class Listings {
  readonly #read: (directory: string) => Promise<readonly string[]>
  readonly #names = new Map<string, Promise<ReadonlySet<string>>>()

  constructor(read: (directory: string) => Promise<readonly string[]> = (directory) => readdir(directory)) {
    this.#read = read
  }

  /** Empty for a directory that cannot be listed. */
  of(directory: string): Promise<ReadonlySet<string>> {
    const known = this.#names.get(directory)
    if (known !== undefined) return known
    const names = this.#read(directory).then(
      (listed) => new Set(listed),
      () => new Set<string>(),
    )
    this.#names.set(directory, names)
    return names
  }
}

/**
 * Finds the directory at an absolute path, as its names are spelled on disk. Case matters even where the file system
 * ignores it: Claude Code stores conversations under the path's exact text.
 */
export async function findDirectory(path: string, listings = new Listings()): Promise<Directory> {
  const spelling = await spellingOnDisk(path, listings)
  try {
    const found = await stat(spelling)
    if (spelling !== withoutBlanks(path)) return { kind: 'misspelt', spelling }
    if (!found.isDirectory()) return { kind: 'no_directory' }
    return { kind: 'found', realPath: await realpath(spelling), owner: found.uid }
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? await missing(spelling) : { kind: 'unreadable', code }
  }
}

/** The path with every name as its directory lists it; names that do not exist are unchanged. */
async function spellingOnDisk(path: string, listings: Listings): Promise<string> {
  let spelled = ''
  for (const name of names(path)) {
    // `join` is not used, because it resolves `..` in the text alone, but after a link, `..` leads elsewhere.
    spelled += sep + (await nameOnDisk(spelled || sep, name, listings))
  }
  return spelled || sep
}

async function nameOnDisk(directory: string, name: string, listings: Listings): Promise<string> {
  const listed = await listings.of(directory)
  if (listed.has(name)) return name
  const others = [...listed].filter((other) => folded(other) === folded(name))
  const sameLetters = others.some((other) => other.normalize() === name.normalize())
  // A letter may be composed in two ways. If the file system treats both as one name, the spelling is right.
  if (sameLetters && (await exists(directory + sep + name))) return name
  return others[0] ?? name
}

async function missing(path: string): Promise<Directory> {
  let inner = path
  while (dirname(inner) !== inner && !(await exists(dirname(inner)))) inner = dirname(inner)
  return { kind: 'missing', parent: dirname(inner), name: basename(inner) }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

function folded(name: string): string {
  return name.normalize().toLowerCase()
}

function names(path: string): string[] {
  return path.split(sep).filter((name) => name !== '' && name !== '.')
}

function withoutBlanks(path: string): string {
  return sep + names(path).join(sep)
}
