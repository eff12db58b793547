import { constants, existsSync } from 'node:fs'
import { type FileHandle, mkdir, open, readlink, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { MachineError } from './machine-error.ts'

const asDirectory = constants.O_RDONLY | constants.O_DIRECTORY
/** Without O_NONBLOCK, opening a named pipe would wait for its other end. */
const neverThrough = constants.O_NOFOLLOW | constants.O_NONBLOCK
/** With /proc, the paths here begin at open descriptors, so nobody can insert a link between two steps. */
const namesDescriptors = existsSync('/proc/self/fd')

/** An open directory. With /proc, operations reach this directory even if its path now leads elsewhere. */
export class OpenDirectory implements AsyncDisposable {
  readonly #handle: FileHandle
  readonly #path: string

  /** Links in this path are followed, because the user or Iris chose it. */
  static async at(path: string): Promise<OpenDirectory> {
    return new OpenDirectory(await open(path, asDirectory), path)
  }

  /** Follows no link anywhere in the path, starting at the root of the file system. */
  static async withoutLinks(path: string): Promise<OpenDirectory> {
    return innermost(await OpenDirectory.at(sep), path.split(sep).filter(Boolean))
  }

  private constructor(handle: FileHandle, path: string) {
    this.#handle = handle
    this.#path = path
  }

  /** The directory's current path. */
  get realPath(): Promise<string> {
    return namesDescriptors ? readlink(`/proc/self/fd/${this.#handle.fd}`) : realpath(this.#path)
  }

  /** Opens a directory in this one. Rejects with a MachineError for a link or a file, and with the system's errors. */
  async inner(name: string, { make = false } = {}): Promise<OpenDirectory> {
    const path = this.path(name)
    if (make) await mkdir(path, { mode: 0o700 }).catch(unlessExists)
    try {
      return new OpenDirectory(await open(path, asDirectory | neverThrough), path)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (code !== 'ENOTDIR' && code !== 'ELOOP') throw error
      throw new MachineError(`${name} is a link, or not a directory`, { cause: error })
    }
  }

  /**
   * Opens the directory at `names` below this one, and closes this one. Without names, returns this directory, still
   * open.
   */
  async within(names: readonly string[], options: { make?: boolean } = {}): Promise<OpenDirectory> {
    return innermost(this, names, options)
  }

  /**
   * Opens a file in this directory. Rejects with a MachineError if it is not a plain file of the user as whom Iris
   * runs, and with the system's errors.
   */
  async file(name: string, flags: number, mode = 0o600): Promise<FileHandle> {
    const file = await open(this.path(name), flags | neverThrough, mode).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ELOOP') throw new MachineError(`${name} is a link`, { cause: error })
      // A directory, a socket, or a pipe without a reader.
      if (error.code === 'ENXIO' || error.code === 'EISDIR') throw new MachineError(`${name} is not a plain file`)
      throw error
    })
    try {
      const facts = await file.stat()
      if (!facts.isFile()) throw new MachineError(`${name} is not a plain file`)
      if (facts.uid !== process.geteuid?.()) throw new MachineError(`${name} belongs to another user`)
      return file
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /**
   * The path of an entry, for system calls that follow no link in the last part of a path. Throws MachineError if
   * `name` is not a file name.
   */
  path(name: string): string {
    if (name === '' || name === '.' || name === '..' || name.includes(sep) || name.includes('\0')) {
      throw new MachineError(`${JSON.stringify(name)} is not the name of a file`)
    }
    return join(this.#directory, name)
  }

  get #directory(): string {
    return namesDescriptors ? `/proc/self/fd/${this.#handle.fd}` : this.#path
  }

  /** The path for listing this directory. */
  get listing(): string {
    return join(this.#directory, '.')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close()
  }
}

async function innermost(
  outermost: OpenDirectory,
  names: readonly string[],
  options: { make?: boolean } = {},
): Promise<OpenDirectory> {
  let reached = outermost
  for (const name of names) {
    await using outer = reached
    reached = await outer.inner(name, options)
  }
  return reached
}

function unlessExists(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
