import { createHmac, randomBytes } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import type { Log } from '../../../base/lib/log.ts'

export interface LoginsParts {
  /** The file that keeps logins over a restart of Iris. */
  readonly file: string
  /** The owner's credential. A new one ends all logins. */
  readonly owner: string
  readonly clock: Clock
  readonly log: Log
}

/** A signed-in browser. */
export interface Login {
  /** Aborted when the login ends: by sign-out, after long absence, or when newer logins displace it. */
  readonly over: AbortSignal
}

/** How long a code is valid, and how long a browser may be away, in milliseconds. */
export const codeMs = 60_000
const idleMs = 12 * 3_600_000
/** Above these numbers the oldest are dropped. */
const mostCodes = 20
const mostLogins = 50
/** The time of a browser's last use is saved at most this often, in milliseconds. */
const savedEveryMs = 600_000

const Saved = z.record(z.string(), z.number())

interface Entry {
  /** By the wall clock, which goes on while Iris is stopped. */
  usedAt: number
  savedAt: number
  readonly over: AbortController
}

/**
 * The owner's browsers: each signs in with a one-time code and then sends a cookie. Only keyed hashes of both are kept,
 * so reading the file reveals no secret and writing to it creates no valid login.
 */
export class Logins {
  readonly #parts: LoginsParts
  /** By hash, when each code expires. */
  readonly #codes = new Map<string, number>()
  readonly #logins = new Map<string, Entry>()

  constructor(parts: LoginsParts) {
    this.#parts = parts
    for (const [hash, usedAt] of Object.entries(this.#saved())) this.#add(hash, usedAt)
  }

  /** Makes a code that signs in one browser, once, within `codeMs`. */
  newCode(): string {
    const code = newSecret()
    this.#codes.set(this.#hash(code), this.#parts.clock.elapsed() + codeMs)
    dropOldest(this.#codes, mostCodes)
    return code
  }

  /** Exchanges a code for the value of a cookie; undefined when the code was used, is too old or never existed. */
  redeem(code: string): string | undefined {
    const hash = this.#hash(code)
    const until = this.#codes.get(hash)
    this.#codes.delete(hash)
    if (until === undefined || this.#parts.clock.elapsed() > until) return undefined
    const cookie = newSecret()
    this.#add(this.#hash(cookie), this.#parts.clock.now())
    dropOldest(this.#logins, mostLogins, ({ over }) => over.abort())
    this.#save()
    return cookie
  }

  find(cookie: string): Login | undefined {
    const hash = this.#hash(cookie)
    const entry = this.#logins.get(hash)
    if (entry === undefined) return undefined
    const now = this.#parts.clock.now()
    if (now - entry.usedAt > idleMs) {
      this.#remove(hash, entry)
      return undefined
    }
    entry.usedAt = now
    if (now - entry.savedAt > savedEveryMs) this.#save()
    return { over: entry.over.signal }
  }

  end(cookie: string): void {
    const hash = this.#hash(cookie)
    const entry = this.#logins.get(hash)
    if (entry) this.#remove(hash, entry)
  }

  #add(hash: string, usedAt: number): void {
    this.#logins.set(hash, { usedAt, savedAt: usedAt, over: new AbortController() })
  }

  #remove(hash: string, { over }: Entry): void {
    this.#logins.delete(hash)
    over.abort()
    this.#save()
  }

  /** Secrets are looked up by this hash: without the key, the time of a lookup reveals nothing about a guess. */
  #hash(secret: string): string {
    return createHmac('sha256', this.#parts.owner).update(secret).digest('base64url')
  }

  #saved(): Readonly<Record<string, number>> {
    try {
      return Saved.parse(JSON.parse(readFileSync(this.#parts.file, 'utf8')))
    } catch {
      // No file yet, or an unreadable one: the owner needs another link.
      return {}
    }
  }

  /** A failure is only logged: it costs the owner a new link after the next start. */
  #save(): void {
    const { file, log } = this.#parts
    for (const entry of this.#logins.values()) entry.savedAt = entry.usedAt
    const saved = Object.fromEntries([...this.#logins].map(([hash, { usedAt }]) => [hash, usedAt]))
    try {
      writeFileSync(`${file}.new`, `${JSON.stringify(saved)}\n`, { mode: 0o600 })
      renameSync(`${file}.new`, file)
    } catch (error) {
      log.warn(`who is signed in could not be written down: ${String(error)}`)
    }
  }
}

/** 256 random bits, base64url. */
function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

function dropOldest<Value>(map: Map<string, Value>, most: number, dropped: (value: Value) => void = () => {}): void {
  for (const [key, value] of map) {
    if (map.size <= most) return
    map.delete(key)
    dropped(value)
  }
}
