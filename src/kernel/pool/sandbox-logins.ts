import {
  closeSync,
  constants,
  type FSWatcher,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../../base/lib/sha256.ts'

const file = '.credentials.json'
/** The names of refresh tokens. With such a token, anybody can act as the person until that person signs out. */
const renewing = /^refresh_?token$/i

/**
 * Copies of logins for sandboxes, without the refresh tokens: one per configuration directory. When the login changes,
 * the copy is updated in place, because a sandbox sees only the file that existed when the sandbox started.
 */
export class SandboxLogins {
  readonly #directory: string
  readonly #watchers = new Map<string, FSWatcher>()

  constructor(directory: string) {
    this.#directory = directory
  }

  /** Creates or updates the copy at `from`. The CLI looks for the login at `path`. */
  of(configDirectory: string): { readonly from: string; readonly path: string } {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
    const path = join(configDirectory, file)
    const from = join(this.#directory, `${sha256(path).slice(0, 16)}.json`)
    const copy = (): void => writeInPlace(from, JSON.stringify(loginIn(path)))
    copy()
    if (!this.#watchers.has(path)) this.#watch(configDirectory, path, copy)
    return { from, path }
  }

  #watch(configDirectory: string, path: string, copy: () => void): void {
    const stop = (): void => {
      this.#watchers.get(path)?.close()
      this.#watchers.delete(path)
    }
    const changed = (_event: string, name: string | null): void => {
      if (name !== file) return
      try {
        copy()
      } catch {
        // If the copy cannot be written, the next start of a sandbox reports why.
        stop()
      }
    }
    try {
      this.#watchers.set(path, watch(configDirectory, { persistent: false }, changed).on('error', stop))
    } catch {
      // Each start of a sandbox updates the copy anyway.
    }
  }
}

/** The login without its refresh tokens. Empty if there is no login. Never follows a link. */
function loginIn(path: string): unknown {
  try {
    const opened = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const facts = fstatSync(opened)
      if (!facts.isFile() || facts.uid !== process.geteuid!()) return {}
      const without = (name: string, value: unknown): unknown => (renewing.test(name) ? undefined : value)
      return JSON.parse(readFileSync(opened, 'utf8'), without)
    } finally {
      closeSync(opened)
    }
  } catch {
    return {}
  }
}

/** Writes in one call and never shortens the file, so that readers see either the old text or the new text. */
function writeInPlace(path: string, text: string): void {
  const before = statSync(path, { throwIfNoEntry: false })?.size
  if (before === undefined) writeFileSync(path, text, { mode: 0o600 })
  else writeFileSync(path, text.padEnd(before), { flag: 'r+' })
}
