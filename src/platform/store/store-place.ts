import { chmodSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeDirectory } from '../../base/lib/make-directory.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { replaceStore } from './set-aside.ts'
import type { Store } from './store.ts'
import { identityInFile } from './store-identity.ts'

/** What is wrong with the file of an open store. */
export type Displacement =
  /**
   * SQLite is still writing to the old file, which no longer has a name or has a different one. Those writes are lost
   * when the process ends.
   */
  | { readonly kind: 'moved'; readonly why: string }
  /** Another file was copied over the store's file, whose content is lost. */
  | { readonly kind: 'overwritten'; readonly why: string }

/** The files of an open store. Detects when they are deleted or replaced. */
export class StorePlace {
  readonly #store: Store
  readonly #identity: number
  #files: Readonly<Record<'main' | 'log', string | undefined>>
  /** The new file is in place, but the store could not be opened from it yet. */
  #replaced: { readonly aside: string | null } | undefined

  constructor(store: Store, identity: number) {
    this.#store = store
    this.#identity = identity
    this.#files = this.#look()
  }

  get displacement(): Displacement | undefined {
    const { path } = this.#store
    if (this.#replaced) return { kind: 'moved', why: 'it was deleted or replaced' }
    const { main, log } = this.#look()
    if (main === undefined) return { kind: 'moved', why: 'it was deleted' }
    if (main !== this.#files.main) return { kind: 'moved', why: 'another file has taken its place' }
    // SQLite creates the log with the first statement.
    this.#files = { main, log: this.#files.log ?? log }
    if (log !== this.#files.log) return { kind: 'moved', why: 'its write-ahead log was deleted or replaced' }
    if (identityInFile(path) === this.#identity) return undefined
    return { kind: 'overwritten', why: 'another file was copied over it while Iris ran' }
  }

  /**
   * Writes everything that the open connection sees to a new file in the store's place, and reopens the store from it.
   * Keeps the file that it finds there under the returned name; null if there was no file. Blocks for about one second
   * per gigabyte. Throws `store_unavailable`.
   */
  restore(at: number): string | null {
    const { path } = this.#store
    try {
      this.#replaced ??= this.#replace(at)
      // Opening a missing file would create an empty store.
      if (identityInFile(path) !== this.#identity) throw new Error('it was deleted or replaced once more')
      this.#store.reopen()
      const { aside } = this.#replaced
      this.#replaced = undefined
      this.#files = this.#look()
      return aside
    } catch (error) {
      throw error instanceof IrisError ? error : notRestored(path, error)
    }
  }

  #replace(at: number): { readonly aside: string | null } {
    const { path } = this.#store
    const made = `${path}.saved`
    makeDirectory(dirname(path))
    rmSync(made, { force: true })
    this.#store.copyTo(made)
    chmodSync(made, 0o600)
    return { aside: replaceStore(path, made, at, 'replaced') ?? null }
  }

  #look(): Readonly<Record<'main' | 'log', string | undefined>> {
    const { path } = this.#store
    return { main: fileAt(path), log: fileAt(`${path}-wal`) }
  }
}

/** The device and inode of a file; undefined if it does not exist. */
function fileAt(path: string): string | undefined {
  const facts = statSync(path, { bigint: true, throwIfNoEntry: false })
  return facts && `${facts.dev}:${facts.ino}`
}

function notRestored(path: string, cause: unknown): IrisError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new IrisError(
    'store_unavailable',
    `The store file ${path} was deleted or replaced while Iris was running, and Iris cannot restore it: ${why}.`,
    'Make its directory writable, or free up space on its disk. Do not stop Iris until then: it retries every second.',
    { cause },
  )
}
