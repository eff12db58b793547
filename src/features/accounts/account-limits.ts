import type { Line } from '../../base/agent/line.ts'
import { type Clock, pause } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { sha256 } from '../../base/lib/sha256.ts'
import { Subject } from '../../base/lib/subject.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import {
  atShareOf,
  isLoginLimit,
  isoTime,
  type Limited,
  limitWords,
  loginLimit,
  tokenLimit,
} from '../../base/protocol/limit.ts'
import type { Outcome, Reason } from '../../base/protocol/turn.ts'
import { limitWindowsOf } from '../../claude/driver/rate-limit.ts'
import { loginAdvice } from '../../kernel/pool/account-login.ts'
import type { LoginUses } from '../../kernel/pool/login-uses.ts'
import type { AccountWaits } from '../../kernel/turn/account-waits.ts'
import type { Turn } from '../../kernel/turn/turn.ts'
import type { Config, TeamConfig } from '../../platform/config/config.ts'
import { workingTeam } from '../../platform/config/former-teams.ts'
import type { AccountRow, AccountRows } from './rows.ts'

export interface AccountLimitsParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly publish: (event: IrisEvent) => void
  readonly log: Pick<Log, 'warn' | 'info' | 'debug'>
  readonly rows: Pick<AccountRows, 'all' | 'keep'>
  readonly loginUses: Pick<LoginUses, 'of'>
  /** The account state that the host of the team, or the host of this turn, reports. */
  readonly elsewhere: (team: string, turn?: string) => Limited | undefined
}

/** An account as it was last seen, and the teams that use it. */
export type AccountView = Omit<AccountRow, 'account' | 'limited'> & {
  readonly teams: readonly string[]
  readonly limited: Limited | undefined
}

/** Windows last at most a week; a reset time further away than this is ignored. */
const maxMs = 8 * 24 * 3_600_000
/** The pauses between tries of a login that ran out. Each try is a message in a conversation, so the pauses grow. */
const firstTryMs = 60_000
const maxTryMs = 600_000
/** How long the message that tries a login keeps the others waiting. */
const tryMs = 60_000

/** Variables that can each give a team's Claude Code another login. */
const loginVariables = [
  'HOME',
  'CLAUDE_CONFIG_DIR',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
]
/**
 * Variables that can each send the same login to another service. A refusal by one service says nothing about the
 * others.
 */
const addressVariables = [
  'ANTHROPIC_BASE_URL',
  'ANTHROPIC_UNIX_SOCKET',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
]

/**
 * The limits of the accounts that teams use, as the API reports them with its answers. While an account is over a
 * limit, or its login has run out, Iris gives Claude Code no message for that account: messages wait in their queues,
 * in order, and continue by themselves. The last known state is kept in the store.
 */
export class AccountLimits implements AccountWaits {
  readonly #parts: AccountLimitsParts
  readonly #known: Map<string, AccountRow>
  /** Cached, because each turn looks a team up several times. The configuration of a team object never changes. */
  readonly #accounts = new WeakMap<TeamConfig, { readonly use: string | undefined; readonly account: string }>()
  /** How many tries have failed with each login that ran out, by account. */
  readonly #tries = new Map<string, number>()
  readonly #refused = new Map<string, number>()
  /** Messages that are waiting for their account. */
  readonly #held = new Set<string>()
  /** Messages that are waiting on other hosts, as those hosts report. */
  readonly #heldElsewhere = new Map<string, Limited>()
  readonly #news = new Subject<string | undefined>()
  #changed = Promise.withResolvers<void>()
  /**
   * Emits undefined when a limit begins or ends, and a message's id when its wait for a limit begins, or when that wait
   * ends on another host.
   */
  readonly news$ = this.#news.asObservable()

  constructor(parts: AccountLimitsParts) {
    this.#parts = parts
    this.#known = new Map(parts.rows.all().map((row) => [row.account, row]))
  }

  saw(team: string, line: Line): void {
    const reported = limitWindowsOf(line)
    if (reported === undefined) return
    const { clock, log, publish } = this.#parts
    const limitAt = this.#limitAt(team)
    const now = clock.now()
    const over = reported
      .filter(({ isRefused, utilization }) => isRefused || utilization >= limitAt)
      .filter(({ resetsAt }) => resetsAt > now && resetsAt - now < maxMs)
      .toSorted((one, other) => other.resetsAt - one.resetsAt)[0]
    const window = over && (over.isRefused || over.utilization >= 1 ? over.name : atShareOf(over.name))
    const before = this.of(team)
    const windows = [
      ...new Map(reported.map(({ name, utilization, resetsAt }) => [name, { name, utilization, resetsAt }])),
    ]
    this.#know(team, {
      limited: over && window ? { until: over.resetsAt, window } : null,
      windows: windows.map(([, window]) => window),
    })
    if (over === undefined || window === undefined) {
      if (before) log.info('the account is no longer over its limit', { team })
      return
    }
    if (before?.until === over.resetsAt && before.window === window) return
    publish({ type: 'account-limited', team, window, until: over.resetsAt })
    const words = limitWords(window, over.resetsAt, { at: isoTime, now })
    log.warn(`the account is ${words}: messages wait`, { team })
  }

  judged(team: string, { outcome, reason }: { readonly outcome: Outcome; readonly reason: Reason | null }): void {
    const { clock, log, publish } = this.#parts
    const account = this.#accountOf(team)
    const known = this.#known.get(account)
    if (outcome === 'completed') {
      const hadRunOut = isLoginLimit(known?.limited?.window)
      if (hadRunOut) log.info('the login works again', { team })
      this.#tries.delete(account)
      if (hadRunOut || (known?.workedAt ?? null) === null)
        this.#know(team, { ...(hadRunOut && { limited: null }), workedAt: known?.workedAt ?? clock.now() })
      return
    }
    if (reason !== 'api_auth') return
    const { tokenFile } = workingTeam(this.#parts.config(), team)?.account ?? {}
    if (tokenFile !== undefined) this.#refused.set(account, clock.now())
    if ((known?.workedAt ?? null) === null) return
    const tries = this.#tries.get(account) ?? 0
    this.#tries.set(account, tries + 1)
    const until = clock.now() + Math.min(firstTryMs * 2 ** tries, maxTryMs)
    const window = tokenFile === undefined ? loginLimit : tokenLimit
    this.#know(team, { limited: { until, window } })
    if (tries > 0) return
    publish({ type: 'account-limited', team, window, until })
    log.warn(`the login has expired, and messages wait. ${loginAdvice(tokenFile)}`, { team })
  }

  of(team: string, turn?: string): Limited | undefined {
    const limited = this.#isHere(team)
      ? (this.#known.get(this.#accountOf(team))?.limited ?? undefined)
      : ((turn === undefined ? undefined : this.#heldElsewhere.get(turn)) ?? this.#parts.elsewhere(team, turn))
    const isOver = limited === undefined || isLoginLimit(limited.window) || limited.until > this.#parts.clock.now()
    return isOver ? limited : undefined
  }

  /** All accounts that configured teams use and that Iris has seen. */
  accounts(): readonly AccountView[] {
    const teams = Map.groupBy(this.#parts.config().teams.keys(), (team) => this.#accountOf(team))
    return [...teams].flatMap(([account, names]) => {
      const known = this.#known.get(account)
      if (known === undefined) return []
      const { windows, seenAt, workedAt } = known
      return [{ teams: names, windows, seenAt, workedAt, limited: this.of(names[0]!) }]
    })
  }

  refuse(team: string, waitsMs = Number.POSITIVE_INFINITY, timeMs = Number.POSITIVE_INFINITY): void {
    const limited = this.of(team)
    if (limited !== undefined && isLoginLimit(limited.window)) {
      if (this.#isHere(team)) this.#know(team, { limited: { ...limited, until: this.#parts.clock.now() } })
      return
    }
    if (limited === undefined) return
    const now = this.#parts.clock.now()
    const leftMs = limited.until - now
    if (Math.min(waitsMs, timeMs) >= leftMs) return
    throw new IrisError(
      'limited',
      `The account of "${team}" is ${limitWords(limited.window, limited.until, { at: isoTime, now })}.`,
      timeMs < leftMs
        ? 'Ask again then, or with a budget that allows more time.'
        : 'Ask again then, or without a timeout (0 or -1), so that the message waits and is answered later.',
      { retryAfterMs: leftMs },
    )
  }

  /** Whether this message is waiting for its account. */
  holds(turn: string): boolean {
    return this.#held.has(turn) || this.#heldElsewhere.has(turn)
  }

  /** Call this when the limits reported by other hosts may have changed. */
  changedElsewhere(): void {
    this.#news.next(undefined)
  }

  waitsElsewhere(turn: string, limited: Limited | undefined): void {
    if (JSON.stringify(limited) === JSON.stringify(this.#heldElsewhere.get(turn))) return
    if (limited === undefined) this.#heldElsewhere.delete(turn)
    else this.#heldElsewhere.set(turn, limited)
    this.#news.next(turn)
  }

  async passed(team: string, { id, cancelled: signal }: Pick<Turn, 'id' | 'cancelled'>): Promise<void> {
    const { clock } = this.#parts
    for (let limited = this.of(team); limited && !signal.aborted; limited = this.of(team)) {
      const leftMs = limited.until - clock.now()
      if (isLoginLimit(limited.window) && leftMs <= 0)
        return this.#know(team, { limited: { ...limited, until: clock.now() + tryMs } })
      this.#held.add(id)
      this.#news.next(id)
      const over = new AbortController()
      await Promise.race([
        pause(clock, Math.max(1, leftMs), AbortSignal.any([signal, over.signal])),
        this.#changed.promise,
      ])
      over.abort()
      this.#held.delete(id)
    }
  }

  /**
   * When the API last refused the token in the team's token file, in milliseconds since the epoch. Processes that
   * started before then have the refused token, whatever the file contains now.
   */
  refusedAt(team: string): number | undefined {
    return this.#refused.get(this.#accountOf(team))
  }

  /**
   * The share that the owner set for this team's account, or else for all accounts. If several teams of the account set
   * a share, the lowest one applies.
   */
  #limitAt(name: string): number {
    const { teams, settings } = this.#parts.config()
    const account = this.#accountOf(name)
    const own = [...teams.values()].filter((team) => team.account?.limitAt && this.#accountOf(team.name) === account)
    if (own.length === 0) return settings.limitAt ?? Number.POSITIVE_INFINITY
    return Math.min(...own.map((team) => team.account!.limitAt!))
  }

  #isHere(team: string): boolean {
    return workingTeam(this.#parts.config(), team) !== undefined
  }

  #know(team: string, news: Partial<AccountRow>): void {
    const { clock, rows, log } = this.#parts
    const account = this.#accountOf(team)
    const before = this.#known.get(account) ?? { account, limited: null, windows: [], workedAt: null }
    const known = { ...before, ...news, seenAt: clock.now() }
    this.#known.set(account, known)
    if (JSON.stringify(before.limited) !== JSON.stringify(known.limited)) {
      this.#changed.resolve()
      this.#changed = Promise.withResolvers()
      this.#news.next(undefined)
    }
    try {
      rows.keep(known)
    } catch (error) {
      log.debug(`limits were not stored: ${String(error)}`)
    }
  }

  #accountOf(name: string): string {
    const team = workingTeam(this.#parts.config(), name)
    if (team === undefined) return accountOf({}, undefined)
    const use = team.account === undefined ? this.#parts.loginUses.of(name) : undefined
    const known = this.#accounts.get(team)
    if (known !== undefined && known.use === use) return known.account
    const account = accountOf(team, use)
    this.#accounts.set(team, { use, account })
    return account
  }
}

/**
 * Teams with the same login at the same address share an account, and its limits. A token file is the same login on
 * every machine. `use`: the login and address settings in the project's settings files.
 */
function accountOf({ remote, env = {}, account }: Partial<TeamConfig>, use: string | undefined): string {
  const login = account?.tokenFile ?? [remote, ...loginVariables.map((variable) => env[variable])]
  const address = [...addressVariables.map((variable) => env[variable]), use]
  // Without an address, the hash is the one that stores of earlier versions contain.
  const whole = address.every((each) => each === undefined) ? login : [login, address]
  return sha256(JSON.stringify(whole)).slice(0, 16)
}
