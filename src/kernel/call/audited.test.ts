import { expect, test } from 'vitest'
import { auditEntry } from './audited.ts'
import type { AuthContext } from './call.ts'
import { theOwner } from './principal.ts'

const owner: AuthContext = { principal: theOwner, team: undefined, parent: undefined }

test.each([
  ['change_channel', { channel: 'desk', action: 'pause' }, 'desk'],
  ['decide_suggestion', { suggestionId: 'aaaaaaaa', decision: 'accept' }, 'aaaaaaaa'],
  ['revoke_rule', { grant: 7 }, '7'],
  ['enable_callback', { callback: 'ci' }, 'ci'],
  ['forget_host', { host: 'garage' }, 'garage'],
  ['session_cancel', { toTeam: 'backend', fromTeam: 'frontend', turnId: 'bbbbbbbb' }, 'bbbbbbbb'],
  ['session_delete', { toTeam: 'backend', fromTeam: 'frontend' }, 'frontend→backend'],
  ['keep_servers', {}, 'all'],
] as const)('the audit says what %s of %j was about: %s', (name, input, subject) => {
  expect(auditEntry(name, input, owner)).toMatchObject({ action: name, subject })
})
