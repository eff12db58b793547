import { renameSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import type { Log } from '../../../base/lib/log.ts'
import { plainFile } from '../../../base/lib/plain-file.ts'

const Saved = z.object({
  loginId: z.string(),
  browser: z.string(),
  /** The public host at which the login is valid. Absent if it is valid on this machine. */
  address: z.string().optional(),
  /** The person, if they only chat. Absent if the login is the owner's. */
  viewer: z.object({ name: z.string(), role: z.string() }).optional(),
  madeAt: z.number(),
  usedAt: z.number(),
})
export type SavedLogin = z.output<typeof Saved>

/** In an older form of the file, a login is just the time of its last use. */
const File = z.record(
  z.string(),
  z.union([
    Saved,
    z.number().transform((usedAt) => ({ loginId: 'earlier', browser: 'A browser', madeAt: usedAt, usedAt })),
  ]),
)

/** Keeps logins, by the hashes of their cookies, so that they survive a restart of Iris. */
export class LoginFile {
  readonly #path: string
  readonly #log: Log

  constructor(path: string, log: Log) {
    this.#path = path
    this.#log = log
  }

  read(): readonly (readonly [hash: string, login: SavedLogin])[] {
    try {
      return Object.entries(File.parse(JSON.parse(plainFile(this.#path))))
    } catch {
      // There is no file yet, or it cannot be read: the owner needs another link.
      return []
    }
  }

  /** A failure is only logged. After a failure, the owner needs a new link once Iris has restarted. */
  write(logins: readonly (readonly [hash: string, login: SavedLogin])[]): void {
    try {
      writeFileSync(`${this.#path}.new`, `${JSON.stringify(Object.fromEntries(logins))}\n`, { mode: 0o600 })
      renameSync(`${this.#path}.new`, this.#path)
    } catch (error) {
      this.#log.warn(`the list of signed-in browsers could not be written: ${String(error)}`)
    }
  }
}
