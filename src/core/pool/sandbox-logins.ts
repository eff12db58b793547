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
/** Whoever has such a token is the person until he signs out. */
const renewing = /^refresh_?token$/i

/**
 * The logins of configuration directories, each in a copy for sandboxes: without the tokens that renew it. A copy is
 * written in place and follows the login, because a sandbox sees the file that it was started with.
 */
export class SandboxLogins {
  readonly #directory: string
  readonly #watchers = new Map<string, FSWatcher>()

  constructor(directory: string) {
    this.#directory = directory
  }

  /** The copy, made or brought up to date; `path` is where the CLI looks for it. */
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
        // The next start of a sandbox says why it cannot be written.
        stop()
      }
    }
    try {
      this.#watchers.set(path, watch(configDirectory, { persistent: false }, changed).on('error', stop))
    } catch {
      // Each start of a sandbox brings it up to date all the same.
    }
  }
}

/** Without the tokens that renew it; empty when there is none. Never reads what a link leads to. */
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

/** By one call, and never shorter than before: whoever reads meanwhile finds the old text or the new one. */
function writeInPlace(path: string, text: string): void {
  const before = statSync(path, { throwIfNoEntry: false })?.size
  if (before === undefined) writeFileSync(path, text, { mode: 0o600 })
  else writeFileSync(path, text.padEnd(before), { flag: 'r+' })
}
