/** The `limitedBy` of an account whose login the API no longer takes. */
export const loginLimit = 'login'
/** The same for an account whose token is in a file: a login on the machine does not change that. */
export const tokenLimit = 'token'

/** Whether the account's login has run out. Its `limitedUntil` is then when Iris tries it again. */
export function isLoginLimit(name: string | undefined): boolean {
  return name === loginLimit || name === tokenLimit
}

const windows: Readonly<Record<string, string>> = { five_hour: 'five-hour limit', seven_day: 'weekly limit' }

/** The name of a limit in plain words. */
export function windowWords(name: string): string {
  return windows[name] ?? `limit (${name})`
}

/** Why messages for a team wait, in plain words; `until` is a time of day or a date. */
export function limitWords(by: string | undefined, until: string): string {
  if (by === loginLimit) return `login has run out: run "claude" on the team's machine, then /login. Next try: ${until}`
  if (by === tokenLimit)
    return `token has run out: put a new one (claude setup-token) into the file that account.tokenFile of the team names. Next try: ${until}`
  return `over its ${windowWords(by ?? 'account')} until ${until}`
}
