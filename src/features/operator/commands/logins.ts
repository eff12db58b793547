import type { Output } from '../../../adapters/client/tool-call.ts'
import { columns } from '../../../app/cli/columns.ts'
import { localTime } from '../../../app/cli/moment.ts'
import { visible } from '../../../base/lib/visible.ts'

export function loginLines({ logins }: Output<'list_logins'>, width: number): readonly string[] {
  if (logins.length === 0) return ['No browser is signed in.']
  const rows = logins.map(({ loginId, browser, address, name, role, madeAt, usedAt }) => [
    loginId,
    name === undefined ? 'you' : `${name} (${role})`,
    visible(browser),
    address ?? 'this machine',
    `since ${localTime(madeAt)}`,
    `last used ${localTime(usedAt)}`,
  ])
  return columns(width, rows)
}

export function revokedLines({ revoked }: Output<'revoke_login'>): readonly string[] {
  return [revoked === 1 ? 'The browser was signed out.' : `${revoked} browsers were signed out.`]
}
