import type { z } from 'zod'
import { IrisError } from '../../../base/protocol/error.ts'
import type { Call } from '../../../kernel/call/call.ts'
import type { BrowserLogins, listLogins, revokeLogin } from '../contract/logins.ts'

/** The dependencies of these operations. */
export interface LoginsParts {
  readonly browserLogins: BrowserLogins
}

export function logins({ auth }: Call, { browserLogins }: LoginsParts): z.output<typeof listLogins.output> {
  const all = browserLogins.list().toSorted((a, b) => b.usedAt - a.usedAt)
  return { logins: all.map((login) => ({ ...login, isThis: login.loginId === auth.loginId })) }
}

export function revoke(
  { loginId }: z.output<typeof revokeLogin.input>,
  { browserLogins }: LoginsParts,
): z.output<typeof revokeLogin.output> {
  const ids = loginId === 'all' ? browserLogins.list().map((login) => login.loginId) : [loginId]
  const revoked = ids.filter((id) => browserLogins.revoke(id)).length
  if (revoked > 0 || loginId === 'all') return { revoked }
  throw new IrisError(
    'not_found',
    `No browser is signed in as ${loginId}.`,
    'list_logins lists the signed-in browsers.',
  )
}
