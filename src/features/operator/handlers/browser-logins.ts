import type { BrowserLogin } from '../contract/logins.ts'

/** The browsers that are signed in to the dashboard. */
export interface BrowserLogins {
  list(): readonly Omit<BrowserLogin, 'isThis'>[]
  /** Returns whether there was such a login. */
  revoke(loginId: string): boolean
}
