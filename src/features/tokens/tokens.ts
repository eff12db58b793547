import { createHmac } from 'node:crypto'
import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { programAsker } from '../../base/protocol/program.ts'
import type { TokenView } from './contract.ts'
import { type SavedProgram, type SavedTokens, takeTokens, writeTokens } from './token-file.ts'
import { isTokenText, newToken } from './token-text.ts'

export interface TokensParts {
  /** The file in which the tokens are kept. */
  readonly file: string
  /** The key that tokens are hashed with. It is created with the first token. */
  readonly key: () => string
  readonly clock: Clock
  readonly log: Log
}

/** The rights of a program. */
export type Grant = Pick<SavedProgram, 'teams' | 'role' | 'callbacks' | 'calls' | 'address' | 'lifetimeMs'>

/** A program that presented its token. */
export interface KnownProgram extends Pick<Grant, 'teams' | 'role' | 'callbacks' | 'calls'> {
  /** `program:<name>` */
  readonly asker: string
  /** Aborted when this token ends because it was revoked, was replaced or has expired. */
  readonly over: AbortSignal
}

/** A token that was just made. */
export interface MadeToken extends Grant {
  readonly asker: string
  readonly token: string
  readonly until?: number
  readonly earlierUntil?: number
}

/** How long the earlier token is valid alongside the new one, in milliseconds. */
const bothMs = 24 * 3_600_000
const maxPrograms = 100
/** The most tokens of one program. With more, the oldest one ends. */
const maxSecrets = 3
/** The time of the last use is saved at most this often, in milliseconds. */
const savedEveryMs = 600_000
/**
 * The wall clock may be set while a timer runs, so Iris looks for expired tokens at least this often, in milliseconds.
 */
const lookEveryMs = 600_000

type Secret = SavedProgram['secrets'][number]

interface Held {
  readonly name: string
  readonly secret: Secret
  over: AbortController
}

/**
 * The programs' own tokens. Only keyed hashes are kept, so reading the file reveals no token. A token that was once
 * found to have ended is forgotten, so it does not become valid again when the clock is set back.
 */
export class Tokens {
  readonly #parts: TokensParts
  readonly #programs: Map<string, SavedProgram>
  /** The tokens, by hash. */
  readonly #held = new Map<string, Held>()
  #shared: Pick<SavedTokens, 'sharedUsedAt' | 'sharedUsedBy'> = {}
  #key: string | undefined
  #savedAt = 0
  #endLook = (): void => {}

  constructor(parts: TokensParts) {
    this.#parts = parts
    const saved = takeTokens(parts.file, parts.log)
    this.#programs = new Map(Object.entries(this.#ofThisKey(saved)))
    if (saved !== undefined) this.#shared = { sharedUsedAt: saved.sharedUsedAt, sharedUsedBy: saved.sharedUsedBy }
    for (const [name, { secrets }] of this.#programs) for (const secret of secrets) this.#hold(name, secret)
    this.#look()
  }

  /** Makes the first token of a program. Throws `invalid_input` if it has one, and `store_unavailable`. */
  create(name: string, grant: Grant): MadeToken {
    this.#forgetEnded()
    const known = this.#programs.get(name)
    if (known !== undefined && known.secrets.length > 0)
      throw new IrisError(
        'invalid_input',
        `The program "${name}" already has a token.`,
        `Replace it with "iris token rotate ${name}", or revoke it with "iris token revoke ${name}".`,
      )
    if (known === undefined && this.#programs.size >= maxPrograms)
      throw new IrisError(
        'invalid_input',
        `${maxPrograms} programs already have tokens, which is the limit.`,
        'Revoke those that nobody uses.',
      )
    return this.#make(name, { ...grant, secrets: [] })
  }

  /**
   * Makes another token; the earlier one stays valid for a day, or ends at once. Throws `not_found` and
   * `store_unavailable`.
   */
  rotate(name: string, atOnce: boolean): MadeToken {
    this.#forgetEnded()
    const known = this.#mustKnow(name)
    const earliest = this.#parts.clock.now() + bothMs
    const kept = atOnce ? [] : known.secrets.slice(1 - maxSecrets)
    const secrets = kept.map((secret) => ({ ...secret, until: Math.min(secret.until ?? earliest, earliest) }))
    return this.#make(name, { ...known, secrets })
  }

  /** Ends all tokens of a program. Throws `not_found` and `store_unavailable`. */
  revoke(name: string): void {
    this.#mustKnow(name)
    this.#change(() => this.#programs.delete(name))
    this.#dropUnknown()
  }

  list(): readonly TokenView[] {
    this.#forgetEnded()
    return [...this.#programs].map(([name, { secrets, lifetimeMs: _lifetime, usedAt, ...grant }]) => {
      const newest = secrets.at(-1)
      const earlier = secrets.at(-2)?.until
      return {
        program: name,
        asker: programAsker(name),
        ...grant,
        isExpired: newest === undefined,
        madeAt: newest?.madeAt ?? 0,
        ...(newest?.until !== undefined && { until: newest.until }),
        ...(earlier !== undefined && { earlierUntil: earlier }),
        ...(usedAt !== undefined && { usedAt }),
      }
    })
  }

  get shared(): Pick<SavedTokens, 'sharedUsedAt' | 'sharedUsedBy'> {
    return this.#shared
  }

  /** The program of a token that is valid at `address`, or on this machine if `address` is undefined. */
  find(token: string, address?: string): KnownProgram | undefined {
    if (this.#held.size === 0 || !isTokenText(token)) return undefined
    const held = this.#held.get(this.#hash(token))
    const known = held && this.#programs.get(held.name)
    if (held === undefined || known === undefined || known.address !== address) return undefined
    const now = this.#parts.clock.now()
    if (hasEnded(held.secret, now)) {
      this.#forgetEnded()
      return undefined
    }
    known.usedAt = Math.max(now, known.usedAt ?? 0)
    this.#saveUse(now)
    const { teams, role, callbacks, calls } = known
    return { asker: programAsker(held.name), teams, role, callbacks, calls, over: held.over.signal }
  }

  get hasAny(): boolean {
    return this.#programs.size > 0
  }

  /** Records that someone other than Iris's own commands used the token of all programs. */
  usedShared(by: string | undefined): void {
    const now = this.#parts.clock.now()
    this.#shared = { sharedUsedAt: now, sharedUsedBy: by }
    this.#saveUse(now)
  }

  /** Ends the streams of tokens of every other public address: Iris no longer answers there. */
  leaveAddress(inForce: string | undefined): void {
    for (const held of this.#held.values()) {
      const address = this.#programs.get(held.name)?.address
      if (address === undefined || address === inForce) continue
      held.over.abort()
      held.over = new AbortController()
    }
  }

  close(): void {
    this.#endLook()
  }

  #make(name: string, program: SavedProgram): MadeToken {
    const { clock } = this.#parts
    const [token, now] = [newToken(), clock.now()]
    const { lifetimeMs, secrets: earlier } = program
    const until = lifetimeMs === undefined ? {} : { until: now + lifetimeMs }
    const secret = { hash: this.#hash(token), madeAt: now, ...until }
    this.#change(() => this.#programs.set(name, { ...program, secrets: [...earlier, secret] }))
    this.#hold(name, secret)
    for (const each of earlier) this.#held.get(each.hash)!.secret.until = each.until
    this.#dropUnknown()
    this.#look()
    const { teams, role, callbacks, calls, address } = program
    const earlierUntil = earlier.at(-1)?.until
    return {
      asker: programAsker(name),
      token,
      teams,
      role,
      callbacks,
      calls,
      address,
      ...until,
      ...(earlierUntil !== undefined && { earlierUntil }),
    }
  }

  #mustKnow(name: string): SavedProgram {
    const known = this.#programs.get(name)
    if (known !== undefined) return known
    throw new IrisError(
      'not_found',
      `No program "${name}" has a token.`,
      '"iris token list" shows the programs that have one.',
    )
  }

  #hold(name: string, secret: Secret): void {
    this.#held.set(secret.hash, { name, secret, over: new AbortController() })
  }

  /** Ends the streams of all tokens that no program has now. */
  #dropUnknown(): void {
    for (const [hash, { name, over }] of this.#held) {
      if (this.#programs.get(name)?.secrets.some((secret) => secret.hash === hash) === true) continue
      this.#held.delete(hash)
      over.abort()
    }
  }

  #forgetEnded(): void {
    const now = this.#parts.clock.now()
    const ended = [...this.#held.values()].filter(({ secret }) => hasEnded(secret, now))
    if (ended.length === 0) return
    for (const { name, secret } of ended) {
      const program = this.#programs.get(name)!
      program.secrets = program.secrets.filter(({ hash }) => hash !== secret.hash)
    }
    this.#dropUnknown()
    this.#save()
  }

  #look(): void {
    this.#endLook()
    this.#forgetEnded()
    const ends = [...this.#held.values()].flatMap(({ secret }) => secret.until ?? [])
    if (ends.length === 0) return
    const { clock } = this.#parts
    const ms = Math.min(lookEveryMs, Math.max(1, Math.min(...ends) - clock.now()))
    this.#endLook = clock.after(ms, () => this.#look())
  }

  #saveUse(now: number): void {
    // The absolute value also covers a clock that was set back.
    if (Math.abs(now - this.#savedAt) > savedEveryMs) this.#save()
  }

  /** Changes the tokens, on the disk first: a token that the disk does not have would be lost at the next start. */
  #change(change: () => void): void {
    const before = new Map(this.#programs)
    try {
      change()
      this.#write()
    } catch (error) {
      this.#programs.clear()
      for (const [name, program] of before) this.#programs.set(name, program)
      if (error instanceof IrisError) throw error
      throw notWritten(this.#parts.file, error)
    }
  }

  /** A failure is only logged, because the change is made again at the next start, or is only a time. */
  #save(): void {
    try {
      this.#write()
    } catch (error) {
      this.#parts.log.warn(`the use of tokens could not be recorded: ${String(error)}`)
    }
  }

  #write(): void {
    this.#savedAt = this.#parts.clock.now()
    writeTokens(this.#parts.file, {
      check: this.#hash(checked),
      ...this.#shared,
      programs: Object.fromEntries(this.#programs),
    })
  }

  #ofThisKey(saved: SavedTokens | undefined): SavedTokens['programs'] {
    if (saved === undefined || saved.check === this.#hash(checked)) return saved?.programs ?? {}
    this.#parts.log.warn("the programs' own tokens were made with another key: none of them is valid any more")
    return {}
  }

  /** Tokens are looked up by this keyed hash, so how long a lookup takes does not reveal how close a guess was. */
  #hash(text: string): string {
    try {
      this.#key ??= this.#parts.key()
    } catch (error) {
      throw error instanceof IrisError ? error : notWritten('the key of tokens', error)
    }
    return createHmac('sha256', this.#key).update(text).digest('base64url')
  }
}

const checked = 'the tokens of this home'

function notWritten(what: string, error: unknown): IrisError {
  const why = `${what} cannot be written: ${String(error)}.`
  return new IrisError('store_unavailable', why, 'Nothing was changed. See "iris doctor".', { cause: error })
}

function hasEnded({ until }: Secret, now: number): boolean {
  return until !== undefined && now >= until
}
