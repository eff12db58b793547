import { type Clock, pause } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Line } from '../../claude/driver/line.ts'
import { limitWindowsOf } from '../../claude/driver/rate-limit.ts'
import type { Config } from '../../platform/config/config.ts'
import { workingTeam } from '../../platform/config/former-teams.ts'

export interface AccountLimitsParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly log: Pick<Log, 'warn' | 'info'>
}

/** Which limit an account is over, and until when (milliseconds since the epoch). */
export interface Limited {
  readonly until: number
  /** `five_hour`, `seven_day`, or what a later Claude Code calls it. */
  readonly window: string
}

/** Windows last at most a week; a reset time further away than this is ignored. */
const longestMs = 8 * 24 * 3_600_000

/** Each of these can give a team's Claude Code another login. */
const loginVariables = [
  'HOME',
  'CLAUDE_CONFIG_DIR',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
]

/**
 * The limits of the accounts that teams use, as the API reports them with its answers. While an account is over a
 * limit, Iris gives Claude Code no message for it: messages wait in their queues, in order, and continue after the
 * reset.
 */
export class AccountLimits {
  readonly #parts: AccountLimitsParts
  readonly #limited = new Map<string, Limited>()

  constructor(parts: AccountLimitsParts) {
    this.#parts = parts
  }

  /** Reads limits from a line of this team's process. The latest report counts. */
  saw(team: string, line: Line): void {
    const windows = limitWindowsOf(line)
    if (windows === undefined) return
    const { clock, config, log } = this.#parts
    const { limitAt = Number.POSITIVE_INFINITY } = config().settings
    const now = clock.now()
    const over = windows
      .filter(({ isRefused, utilization }) => isRefused || utilization >= limitAt)
      .filter(({ resetsAt }) => resetsAt > now && resetsAt - now < longestMs)
      .toSorted((one, other) => other.resetsAt - one.resetsAt)[0]
    const account = this.#accountOf(team)
    const before = this.of(team)
    if (over === undefined) {
      if (this.#limited.delete(account)) log.info('the account is no longer over its limit', { team })
      return
    }
    this.#limited.set(account, { until: over.resetsAt, window: over.name })
    if (before?.until === over.resetsAt) return
    const until = new Date(over.resetsAt).toISOString()
    log.warn(`the account is over its limit (${over.name}): messages wait until ${until}`, { team })
  }

  /** Undefined while the team's account is under its limits. */
  of(team: string): Limited | undefined {
    const account = this.#accountOf(team)
    const limited = this.#limited.get(account)
    if (limited === undefined || limited.until > this.#parts.clock.now()) return limited
    this.#limited.delete(account)
    return undefined
  }

  /** Throws `limited` if the asker's wait ends before the limit does. `waitsMs` undefined: never throws. */
  refuse(team: string, waitsMs: number | undefined): void {
    const limited = this.of(team)
    if (limited === undefined || waitsMs === undefined) return
    const leftMs = limited.until - this.#parts.clock.now()
    if (waitsMs >= leftMs) return
    throw new IrisError(
      'limited',
      `The account of "${team}" is over its limit (${limited.window}) until ${new Date(limited.until).toISOString()}.`,
      'Ask again then, or without a timeout (0, or -1): the message then waits and is answered by itself.',
      { retryAfterMs: leftMs },
    )
  }

  /** Resolves when the account is under its limits or the signal aborts. */
  async passed(team: string, signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts
    for (let limited = this.of(team); limited && !signal.aborted; limited = this.of(team))
      await pause(clock, Math.max(1, limited.until - clock.now()), signal)
  }

  /** Teams with the same login share an account, and its limits. */
  #accountOf(name: string): string {
    const team = workingTeam(this.#parts.config(), name)
    const { remote, env = {} } = team ?? {}
    return JSON.stringify([remote, ...loginVariables.map((variable) => env[variable])])
  }
}
