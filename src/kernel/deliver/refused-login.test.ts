import { expect, test } from 'vitest'
import { redactText } from '../../base/lib/redact.ts'
import { ended } from '../turn/verdict.ts'
import { withLoginAdvice } from './refused-login.ts'

const refused = (detail: string) => ended('failed', 'api_auth', detail, '')
const file = '/home/me/private.token'
const advice = `Write a new token, which "claude setup-token" prints, into ${file}.`

test.each([
  ['Please run /login · API Error: 401 {"type":"error"}', `API Error: 401 {"type":"error"} ${advice}`],
  ['Not logged in · Please run /login (Log in with claude in a terminal, then ask again.)', advice],
  ['Invalid bearer token', `Invalid bearer token ${advice}`],
])('for a token file, %j advises to replace the token and not to log in', (detail, told) => {
  expect(withLoginAdvice(refused(detail), file).detail).toBe(told)
  expect(redactText(told)).toBe(told)
})

test('other logins and other ends keep their words', () => {
  const login = refused('Please run /login')
  const other = ended('failed', 'api_error', 'Please run /login', '')
  expect([withLoginAdvice(login, undefined), withLoginAdvice(other, file)]).toEqual([login, other])
})
