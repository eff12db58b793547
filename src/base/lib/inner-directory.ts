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
/** Where the system names open directories, nobody can put a link in the way between two steps. */
const namesDescriptors = existsSync('/proc/self/fd')

/**
 * A directory reached without following a link, for files in a place where others write, too. Throws
 * for a link on the way, and what the system says.
 */
export class InnerDirectory implements Disposable {
  /** It was made just now. */
  readonly isNew: boolean
  readonly #path: string
  readonly #descriptor: number

  /**
   * `names` lead from `root` downwards; with `make` what is missing of them is made, 0700. The root is a real path: if it
   * leads through a link by now, somebody has put that there.
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

  /** Writes a new file, 0600. What stood under that name, a link included, is gone; what a link led to is as it was. */
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
      throw new Error(`${name} is a link, or no directory`, { cause: error })
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
