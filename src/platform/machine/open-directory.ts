import { constants, existsSync } from 'node:fs'
import { type FileHandle, mkdir, open, readlink, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { MachineError } from './machine-error.ts'

const asDirectory = constants.O_RDONLY | constants.O_DIRECTORY
/** Without O_NONBLOCK a named pipe would keep us waiting for its other side. */
const neverThrough = constants.O_NOFOLLOW | constants.O_NONBLOCK
/** Where the system names open directories, nobody can put a link in the way between two steps. */
const namesDescriptors = existsSync('/proc/self/fd')

/** An open directory. What is done in it is done there, wherever the names that led to it lead by now. */
export class OpenDirectory implements AsyncDisposable {
  readonly #handle: FileHandle
  readonly #path: string

  /** Links in this path are followed, because the user or Iris chose it. */
  static async at(path: string): Promise<OpenDirectory> {
    return new OpenDirectory(await open(path, asDirectory), path)
  }

  /** No link is followed, from the root of the file system on. */
  static async withoutLinks(path: string): Promise<OpenDirectory> {
    return innermost(await OpenDirectory.at(sep), path.split(sep).filter(Boolean))
  }

  private constructor(handle: FileHandle, path: string) {
    this.#handle = handle
    this.#path = path
  }

  /** Where it is now. */
  get realPath(): Promise<string> {
    return namesDescriptors ? readlink(`/proc/self/fd/${this.#handle.fd}`) : realpath(this.#path)
  }

  /** Rejects for a link with a MachineError, and with what the system says. */
  async inner(name: string, { make = false } = {}): Promise<OpenDirectory> {
    const path = this.path(name)
    if (make) await mkdir(path, { mode: 0o700 }).catch(unlessExists)
    try {
      return new OpenDirectory(await open(path, asDirectory | neverThrough), path)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (code !== 'ENOTDIR' && code !== 'ELOOP') throw error
      throw new MachineError(`${name} is a link, or no directory`, { cause: error })
    }
  }

  /** Closes this one. */
  async within(names: readonly string[], options: { make?: boolean } = {}): Promise<OpenDirectory> {
    return innermost(this, names, options)
  }

  /** Rejects for what is no plain file of the user Iris runs as with a MachineError, and with what the system says. */
  async file(name: string, flags: number, mode = 0o600): Promise<FileHandle> {
    const file = await open(this.path(name), flags | neverThrough, mode).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ELOOP') throw new MachineError(`${name} is a link`, { cause: error })
      // A pipe or a socket that nobody serves.
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

  /** For a call of the system that is about one name in here, and follows no link in its last part. */
  path(name: string): string {
    if (name === '' || name === '.' || name === '..' || name.includes(sep) || name.includes('\0')) {
      throw new MachineError(`${JSON.stringify(name)} is no name of a file`)
    }
    return join(this.#directory, name)
  }

  get #directory(): string {
    return namesDescriptors ? `/proc/self/fd/${this.#handle.fd}` : this.#path
  }

  /** For reading what is in it. */
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
