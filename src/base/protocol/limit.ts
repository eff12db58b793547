/** The `limitedBy` of an account whose login the API no longer accepts. */
export const loginLimit = 'login'
/** The same for an account whose token is in a file: a login on the machine does not change that. */
export const tokenLimit = 'token'

/** Whether the account's login has run out. Its `limitedUntil` is then the time when Iris tries the login again. */
export function isLoginLimit(name: string | undefined): boolean {
  return name === loginLimit || name === tokenLimit
}

const windows: Readonly<Record<string, string>> = { five_hour: 'five-hour limit', seven_day: 'weekly limit' }

/** Follows the name of a window in `limitedBy` if only the share that the person leaves to Iris is used up. */
const shareOnly = ':limitAt'

/** The `limitedBy` of an account that has used only the share of this limit that `limitAt` sets. */
export function atShareOf(window: string): string {
  return `${window}${shareOnly}`
}

/** The name of a limit in plain words. */
export function windowWords(name: string): string {
  return windows[name] ?? `limit (${name})`
}

/** The description of `limitedBy` in schemas. */
export const limitedByWords =
  'five_hour, seven_day, login or token; five_hour:limitAt if only the share set by limitAt is used up'

/** A time for programs. */
export function isoTime(at: number): string {
  return new Date(at).toISOString()
}

interface Times {
  /** Formats a time, as a time of day or a date. */
  readonly at: (ms: number) => string
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Why messages for a team wait, in plain words; `until` in milliseconds since the epoch. */
export function limitWords(by: string | undefined, until: number, { at, now }: Times): string {
  const again = `Next try: ${until > now ? at(until) : 'with the next message'}`
  if (by === loginLimit) return `login has expired: run "claude" on the team's machine, then /login. ${again}`
  if (by === tokenLimit)
    return `token has expired: put a new one (claude setup-token) into the file that account.tokenFile of the team names. ${again}`
  if (by?.endsWith(shareOnly))
    return `at your share of its ${windowWords(by.slice(0, -shareOnly.length))} until ${at(until)}`
  return `over its ${windowWords(by ?? 'account')} until ${at(until)}`
}

/** The limit of an account as the end of a sentence, without its time. */
export function limitName(by: string): string {
  if (isLoginLimit(by)) return `has an expired ${by}`
  if (by.endsWith(shareOnly)) return `is at your share of its ${windowWords(by.slice(0, -shareOnly.length))}`
  return `is over its ${windowWords(by)}`
}

/** What a person can do about the limit. */
export function limitRemedy(by: string): string {
  if (by === loginLimit) return 'run "claude" on the team\'s machine, then /login'
  if (by === tokenLimit)
    return 'put a new token (claude setup-token) into the file that account.tokenFile of the team names'
  return 'wait, or give the team another account'
}

/** Which limit an account is over, and until when (milliseconds since the epoch). */
export interface Limited {
  /** For a login that ran out: when Iris tries it again. */
  readonly until: number
  /**
   * `five_hour`, `seven_day` or a later Claude Code's name, each possibly in the form that `atShareOf` returns; or
   * `login` or `token`.
   */
  readonly window: string
}
