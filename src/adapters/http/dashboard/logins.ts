import { createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '../../../base/lib/clock.ts'
import type { Log } from '../../../base/lib/log.ts'
import type { BrowserLogins } from '../../../features/operator/contract/logins.ts'
import { browserName } from './browser-name.ts'
import { LoginFile, type SavedLogin } from './login-file.ts'

/** A person other than the owner, who only chats. */
export type ViewerLogin = NonNullable<SavedLogin['viewer']>

export interface LoginsParts {
  /** The file that keeps logins across a restart of Iris. */
  readonly file: string
  /** The owner's credential. A new one ends all logins. */
  readonly ownerCredential: string
  readonly clock: Clock
  readonly log: Log
}

/** A signed-in browser. */
export interface OpenLogin {
  readonly loginId: string
  /** Undefined for a login of the owner. */
  readonly viewer: ViewerLogin | undefined
  /**
   * Aborted when the login ends: by sign-out, by the owner, when its time is over, or when newer logins displace it.
   */
  readonly over: AbortSignal
}

/**
 * How long a code is valid, in milliseconds. This is short, because on this machine the command opens the link at once.
 */
export const codeMs = 60_000
/** Like `codeMs`, for a link that a person must take to another machine. */
export const carriedCodeMs = 600_000
/** How long a browser may send nothing before its login ends, in milliseconds. */
const idleMs = 12 * 3_600_000
const idleElsewhereMs = 7 * 24 * 3_600_000
/** A login from elsewhere ends at this age, however often it is used, in milliseconds. */
export const maxElsewhereMs = 30 * 24 * 3_600_000
/** If there are more codes or logins than this, the oldest are dropped. */
const maxCodes = 20
const maxLogins = 50
/** The time of a browser's last use is saved at most this often, in milliseconds. */
const savedEveryMs = 600_000

interface Code {
  readonly until: number
  readonly address: string | undefined
  readonly viewer: ViewerLogin | undefined
}

/** Times are those of the wall clock, because it continues while Iris is stopped. */
interface Entry {
  /** What the file contains. `usedAt` below may be newer. */
  saved: SavedLogin
  usedAt: number
  readonly over: AbortController
}

/**
 * The signed-in browsers of the owner and of people who only chat. A browser signs in with a one-time code and then
 * sends a cookie. Only keyed hashes of codes and cookies are kept, so reading the file reveals no secret, and writing
 * to it creates no valid login. A code or a login is valid for one address: the public address, or this machine's
 * (undefined).
 */
export class Logins implements BrowserLogins {
  readonly #parts: LoginsParts
  readonly #file: LoginFile
  /** The codes that can still be used, by their hashes. */
  readonly #codes = new Map<string, Code>()
  readonly #logins = new Map<string, Entry>()

  constructor(parts: LoginsParts) {
    this.#parts = parts
    this.#file = new LoginFile(parts.file, parts.log)
    for (const [hash, saved] of this.#file.read()) this.#add(hash, saved)
  }

  /**
   * Makes a code that signs in one browser, once, at that address. It signs in as `viewer` or, without one, as the
   * owner.
   */
  newCode(address?: string, viewer?: ViewerLogin): string {
    const code = newSecret()
    const until = this.#parts.clock.elapsed() + (address === undefined ? codeMs : carriedCodeMs)
    this.#codes.set(this.#hash(code), { until, address, viewer })
    dropOldest(this.#codes, maxCodes)
    return code
  }

  /**
   * The name for which a code was made. Undefined for codes of the owner and for unknown codes. Does not use up the
   * code.
   */
  nameOf(code: string): string | undefined {
    return this.#codes.get(this.#hash(code))?.viewer?.name
  }

  /**
   * Exchanges a code for the value of a cookie. Returns undefined if the code was used, is too old or never existed.
   */
  redeem(code: string, address?: string, userAgent?: string): string | undefined {
    const hash = this.#hash(code)
    const made = this.#codes.get(hash)
    this.#codes.delete(hash)
    if (made === undefined || made.address !== address || this.#parts.clock.elapsed() > made.until) return undefined
    const cookie = newSecret()
    const now = this.#parts.clock.now()
    const loginId = randomBytes(4).toString('hex')
    const { viewer } = made
    this.#add(this.#hash(cookie), {
      loginId,
      browser: browserName(userAgent),
      address,
      viewer,
      madeAt: now,
      usedAt: now,
    })
    dropOldest(this.#logins, maxLogins, ({ over }) => over.abort())
    this.#save()
    return cookie
  }

  /**
   * The login to which this cookie belongs. Counts as a use, which keeps the login from ending. A login whose time is
   * over is ended.
   */
  use(cookie: string, address?: string): OpenLogin | undefined {
    const hash = this.#hash(cookie)
    const entry = this.#logins.get(hash)
    if (entry === undefined || entry.saved.address !== address) return undefined
    const now = this.#parts.clock.now()
    if (hasEnded(entry, now)) {
      this.#remove(hash, entry)
      return undefined
    }
    entry.usedAt = now
    if (now - entry.saved.usedAt > savedEveryMs) this.#save()
    const { loginId, viewer } = entry.saved
    return { loginId, viewer, over: entry.over.signal }
  }

  end(cookie: string): void {
    const hash = this.#hash(cookie)
    const entry = this.#logins.get(hash)
    if (entry) this.#remove(hash, entry)
  }

  list() {
    const now = this.#parts.clock.now()
    return [...this.#logins.values()]
      .filter((entry) => !hasEnded(entry, now))
      .map(({ saved: { viewer, ...login }, usedAt }) => ({ ...login, usedAt, ...viewer }))
  }

  revoke(loginId: string): boolean {
    const found = [...this.#logins].filter(([, { saved }]) => saved.loginId === loginId)
    for (const [hash, entry] of found) this.#remove(hash, entry)
    return found.length > 0
  }

  /** Ends the logins for every other public address, because Iris no longer answers there. */
  endOtherPublicAddresses(address: string | undefined): void {
    for (const [hash, entry] of this.#logins) {
      const { address: own } = entry.saved
      if (own !== undefined && own !== address) this.#remove(hash, entry)
    }
  }

  #add(hash: string, saved: SavedLogin): void {
    this.#logins.set(hash, { saved, usedAt: saved.usedAt, over: new AbortController() })
  }

  #remove(hash: string, { over }: Entry): void {
    this.#logins.delete(hash)
    over.abort()
    this.#save()
  }

  /**
   * The keyed hash by which secrets are looked up. To somebody without the key, the time of a lookup reveals nothing
   * about a guess.
   */
  #hash(secret: string): string {
    return createHmac('sha256', this.#parts.ownerCredential).update(secret).digest('base64url')
  }

  #save(): void {
    for (const entry of this.#logins.values()) entry.saved = { ...entry.saved, usedAt: entry.usedAt }
    this.#file.write([...this.#logins].map(([hash, { saved }]) => [hash, saved]))
  }
}

function hasEnded({ saved: { address, madeAt }, usedAt }: Entry, now: number): boolean {
  if (address === undefined) return now - usedAt > idleMs
  return now - usedAt > idleElsewhereMs || now - madeAt > maxElsewhereMs
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
