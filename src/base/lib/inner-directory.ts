import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, sep } from 'node:path'

const asDirectory = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
const asNewFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
/** With paths through descriptors, nobody can replace a directory with a link between two steps. Linux only. */
const namesDescriptors = existsSync('/proc/self/fd')

/**
 * A directory that is opened without following links, for files in a place where others can write too. Throws if the
 * path contains a link, and on any file system error.
 */
export class InnerDirectory implements Disposable {
  /** Whether `open` has just created the directory. */
  readonly isNew: boolean
  readonly #path: string
  readonly #descriptor: number

  /**
   * Opens the directory `names` below `root`. With `make`, creates the directories that are missing, with mode 0700.
   * `root` must be a real path: a link in it is a sign of tampering, and `open` throws.
   */
  static open(root: string, names: readonly string[], { make }: { readonly make: boolean }): InnerDirectory {
    const outer = root.split(sep).filter(Boolean)
    let reached = new InnerDirectory(sep, false)
    for (const [index, name] of [...outer, ...names].entries()) {
      using around = reached
      reached = around.#inner(name, make && index >= outer.length)
    }
    return reached
  }

  private constructor(path: string, isNew: boolean) {
    this.#path = path
    this.#descriptor = openSync(path, asDirectory)
    this.isNew = isNew
  }

  get facts(): Stats {
    return fstatSync(this.#descriptor)
  }

  /** Writes a new file with mode 0600. Removes any file or link of that name first; a link's target is unchanged. */
  write(name: string, text: string): void {
    this.remove(name)
    const file = openSync(this.#at(name), asNewFile, 0o600)
    try {
      writeFileSync(file, text)
    } finally {
      closeSync(file)
    }
  }

  remove(name: string): void {
    try {
      unlinkSync(this.#at(name))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor)
  }

  #inner(name: string, make: boolean): InnerDirectory {
    const isNew = make && this.#made(name)
    try {
      return new InnerDirectory(this.#at(name), isNew)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (code !== 'ENOTDIR' && code !== 'ELOOP') throw error
      throw new Error(`${name} is a link, or not a directory`, { cause: error })
    }
  }

  #made(name: string): boolean {
    try {
      mkdirSync(this.#at(name), { mode: 0o700 })
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      return false
    }
  }

  #at(name: string): string {
    return join(namesDescriptors ? `/proc/self/fd/${this.#descriptor}` : this.#path, name)
  }
}
