import { constants, watch } from 'node:fs'
import { type FileHandle, link, lstat, mkdir, opendir, rename, rmdir, unlink } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { FileFacts, FileProblem, FileTree, FoundBelow } from './machine.ts'
import { MachineError } from './machine-error.ts'
import { OpenDirectory } from './open-directory.ts'

const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT, O_EXCL } = constants
/** An agent that can write to a directory can fill it, so names beyond this number are ignored. */
const maxNames = 200_000
const sideBySide = 64
const pieceBytes = 256 * 1024
/** How deeply nested the content of a directory may be for the directory to be removed. */
const deepest = 64

/**
 * A directory on this machine in which others write. Every access goes through open directories, so swapping a name on
 * the way has no effect. Links are never followed, and only the user's own plain files are opened.
 */
export class LocalTree implements FileTree {
  readonly directory: string
  readonly #hidden: string | undefined

  /**
   * Follows links in the path `directory`, unless they lead into `hidden`: agents cannot see that place, but can change
   * the links.
   */
  constructor(directory: string, hidden?: string) {
    this.directory = directory
    this.#hidden = hidden === undefined || isAt(directory, hidden) ? undefined : hidden
  }

  path(names: readonly string[]): string {
    return join(this.directory, ...names)
  }

  async find(names: readonly string[]): Promise<FileFacts | undefined> {
    return unlessAbsent(() => this.#inDirectoryOf(names, (directory, name) => factsIn(directory, name, names)))
  }

  async findBelow(names: readonly string[], file: string): Promise<FoundBelow> {
    const files: FileFacts[] = []
    const problems: FileProblem[] = []
    try {
      await using outer = await this.#open(names)
      for await (const some of batches(entries(outer))) {
        const there = await Promise.all(some.map((name) => whatIs(outer, name, file)))
        for (const [index, name] of some.entries()) {
          const found = there[index]
          if (found === undefined) continue
          const place = `${name}${sep}${file}`
          try {
            if (found !== 'there') throw found
            await using inner = await outer.inner(name)
            files.push(await factsIn(inner, file, [...names, name, file]))
          } catch (error) {
            if (!isAbsent(error)) problems.push(problemOf(place, error))
          }
        }
      }
    } catch (error) {
      if (!isAbsent(error)) problems.push(problemOf(names.join(sep), error))
    }
    return { files, problems }
  }

  async read(file: FileFacts, from: number, length: number): Promise<Buffer> {
    return this.#withFile(file, O_RDONLY, async (handle) => {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, from)
      return buffer.subarray(0, bytesRead)
    })
  }

  async *list(names: readonly string[]): AsyncGenerator<string> {
    const directory = await unlessAbsent(() => this.#open(names))
    if (directory === undefined) return
    await using open = directory
    yield* entries(open)
  }

  async append(file: FileFacts, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#withFile(file, O_WRONLY | O_APPEND, async (handle) => {
      for await (const piece of pieces) await handle.appendFile(piece)
    })
  }

  async write(names: readonly string[], pieces: AsyncIterable<Uint8Array>, { replace = false } = {}): Promise<void> {
    await using directory = await this.#open(names.slice(0, -1), { make: true })
    const name = names.at(-1)!
    const half = unfinished(name)
    await using file = await directory.file(half, O_WRONLY | O_CREAT | O_EXCL)
    try {
      for await (const piece of pieces) await file.appendFile(piece)
      await file.sync()
      if (replace) await rename(directory.path(half), directory.path(name))
      else await link(directory.path(half), directory.path(name))
      await mustBe(directory, name, identityOf(await file.stat({ bigint: true })))
    } finally {
      await unlink(directory.path(half)).catch(unlessAbsentError)
    }
  }

  async place(names: readonly string[], from: FileTree, file: FileFacts): Promise<void> {
    try {
      if (from instanceof LocalTree && (await this.#linked(names, from, file))) return
      await this.write(names, piecesOf(from, file))
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }

  async move(from: readonly string[], to: readonly string[]): Promise<void> {
    await using source = await this.#open(from.slice(0, -1))
    await using target = await this.#open(to.slice(0, -1), { make: true })
    const next = target.path(to.at(-1)!)
    if (await unlessAbsent(() => lstat(next))) throw new MachineError(`${to.at(-1)} already exists`)
    await rename(source.path(from.at(-1)!), next)
  }

  async touch(file: FileFacts, modifiedAt: number): Promise<void> {
    await this.#withFile(file, O_RDONLY, (handle) => handle.utimes(modifiedAt / 1000, modifiedAt / 1000))
  }

  async remove(names: readonly string[]): Promise<void> {
    await unlessAbsent(() => this.#inDirectoryOf(names, (directory, name) => unlink(directory.path(name))))
  }

  async removeAll(names: readonly string[]): Promise<void> {
    await unlessAbsent(() => this.#inDirectoryOf(names, (directory, name) => removeIn(directory, name, deepest)))
  }

  async watch(names: readonly string[], onChange: (name: string) => void): Promise<() => void> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 })
    await using directory = await this.#open(names, { make: true })
    // The path of the descriptor leads to the open directory, even if the directory's own path now leads elsewhere.
    const watcher = watch(directory.listing, { persistent: false }, (_event, name) => onChange(name ?? ''))
    watcher.on('error', () => watcher.close())
    return () => watcher.close()
  }

  /**
   * Returns false if no link can be created. Checks the link after creating it, because the source may have been
   * swapped.
   */
  async #linked(names: readonly string[], from: LocalTree, file: FileFacts): Promise<boolean> {
    await using source = await from.#open(file.names.slice(0, -1))
    await using target = await this.#open(names.slice(0, -1), { make: true })
    const half = unfinished(names.at(-1)!)
    try {
      await link(source.path(file.names.at(-1)!), target.path(half))
    } catch (error) {
      if (isAbsent(error)) throw error
      return false
    }
    try {
      const { identity, links } = await factsIn(target, half, names)
      if (identity !== file.identity) throw new MachineError('it is a different file than before')
      if (links !== file.links + 1) throw new MachineError('it was given another name in the meantime')
      await link(target.path(half), target.path(names.at(-1)!))
      return true
    } finally {
      await unlink(target.path(half)).catch(unlessAbsentError)
    }
  }

  async #withFile<T>(file: FileFacts, flags: number, use: (handle: FileHandle) => Promise<T>): Promise<T> {
    return this.#inDirectoryOf(file.names, async (directory, name) => {
      await using handle = await directory.file(name, flags)
      const now = await handle.stat({ bigint: true })
      if (identityOf(now) !== file.identity) throw new MachineError(`${name} is a different file than before`)
      if (flags & O_WRONLY && Number(now.nlink) !== 1) throw new MachineError(`${name} has a second name`)
      return await use(handle)
    })
  }

  async #inDirectoryOf<T>(
    names: readonly string[],
    use: (directory: OpenDirectory, name: string) => Promise<T>,
  ): Promise<T> {
    await using directory = await this.#open(names.slice(0, -1))
    return await use(directory, names.at(-1)!)
  }

  async #open(names: readonly string[], options: { make?: boolean } = {}): Promise<OpenDirectory> {
    if (options.make) await mkdir(this.directory, { recursive: true, mode: 0o700 })
    const root = await OpenDirectory.at(this.directory)
    if (this.#hidden !== undefined && isAt(await root.realPath, this.#hidden)) {
      await root[Symbol.asyncDispose]()
      throw new MachineError(`${this.directory} leads to a place that is hidden from agents`)
    }
    return root.within(names, options)
  }
}

/** The content of a file, from `from` on. Rejects if another file now has its name. */
export async function* piecesOf(tree: FileTree, file: FileFacts, from = 0): AsyncGenerator<Buffer> {
  for (let position = from; ; ) {
    const piece = await tree.read(file, position, pieceBytes)
    if (piece.length === 0) return
    yield piece
    position += piece.length
  }
}

async function factsIn(directory: OpenDirectory, name: string, names: readonly string[]): Promise<FileFacts> {
  await using file = await directory.file(name, O_RDONLY)
  const facts = await file.stat({ bigint: true })
  return {
    names,
    size: Number(facts.size),
    modifiedAt: Number(facts.mtimeMs),
    createdAt: Number(facts.birthtimeMs),
    identity: identityOf(facts),
    links: Number(facts.nlink),
  }
}

function identityOf({ dev, ino }: { dev: bigint; ino: bigint }): string {
  return `${dev}:${ino}`
}

async function mustBe(directory: OpenDirectory, name: string, identity: string): Promise<void> {
  const facts = await lstat(directory.path(name), { bigint: true })
  if (identityOf(facts) !== identity) throw new MachineError(`${name} was replaced while it was written`)
}

async function* entries(directory: OpenDirectory): AsyncGenerator<string> {
  let seen = 0
  for await (const { name } of await opendir(directory.listing)) {
    if (++seen > maxNames) return
    yield name
  }
}

async function* batches(names: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = []
  for await (const name of names) {
    if (batch.push(name) < sideBySide) continue
    yield batch
    batch = []
  }
  yield batch
}

async function removeIn(directory: OpenDirectory, name: string, depth: number): Promise<void> {
  const path = directory.path(name)
  if (!(await lstat(path)).isDirectory()) return unlink(path)
  if (depth === 0) throw new MachineError(`${name} is nested too deeply`)
  {
    await using inner = await directory.inner(name)
    for await (const each of entries(inner)) await removeIn(inner, each, depth - 1)
  }
  await rmdir(path)
}

/**
 * Whether a directory has that file, or the error that prevents the answer. An unreadable directory of another user,
 * such as root, counts as not having the file, because this user's programs cannot have written anything there.
 */
async function whatIs(outer: OpenDirectory, name: string, file: string): Promise<'there' | Error | undefined> {
  try {
    await lstat(`${outer.path(name)}${sep}${file}`)
    return 'there'
  } catch (error) {
    if (isAbsent(error) || codeOf(error) === 'ENOTDIR') return undefined
    const owner = await lstat(outer.path(name)).catch(() => undefined)
    return owner === undefined || owner.uid === process.geteuid?.() ? (error as Error) : undefined
  }
}

function problemOf(place: string, error: unknown): FileProblem {
  if (error instanceof MachineError) return { place, why: error.message, mayPass: false }
  return { place, why: `the system says ${codeOf(error) ?? String(error)}`, mayPass: true }
}

let written = 0

/** A unique name for the unfinished file, because there may be two writers at once. */
function unfinished(name: string): string {
  written += 1
  return `${name}.${process.pid}-${written}.half`
}

async function unlessAbsent<T>(use: () => Promise<T>): Promise<T | undefined> {
  return use().catch((error: unknown) => {
    if (isAbsent(error)) return undefined
    throw error
  })
}

function unlessAbsentError(error: unknown): void {
  if (!isAbsent(error)) throw error
}

function isAbsent(error: unknown): boolean {
  return codeOf(error) === 'ENOENT'
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}

/** Whether the path is that directory or inside it. */
function isAt(path: string, directory: string): boolean {
  return `${path}${sep}`.startsWith(`${directory}${sep}`)
}
