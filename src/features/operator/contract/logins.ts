import { z } from 'zod'
import { operation } from '../../../base/operation/operation.ts'

const BrowserLogin = z.object({
  loginId: z.string(),
  browser: z.string().describe('How the browser describes itself; anyone can choose this text'),
  address: z.string().optional().describe('The host of settings.publicUrl; absent: signed in on this machine'),
  name: z.string().optional().describe('The name of a person who only chats; absent: the owner'),
  role: z.string().optional().describe('The role with whose rights this person chats'),
  madeAt: z.number().describe('Milliseconds since the epoch'),
  usedAt: z.number().describe('The last request, in milliseconds since the epoch'),
  isThis: z.boolean().describe('Whether this is the browser that makes the call'),
})
export type BrowserLogin = z.infer<typeof BrowserLogin>

export const listLogins = operation({
  name: 'list_logins',
  routes: ['GET /api/logins'],
  title: 'List the browsers that are signed in',
  description: 'Lists the browsers that are signed in to the dashboard, the last used first.',
  access: 'owner',
  isTool: false,
  input: z.object({}),
  output: z.object({ logins: z.array(BrowserLogin) }),
  readOnly: true,
})

export const revokeLogin = operation({
  name: 'revoke_login',
  routes: ['POST /api/logins/{loginId}/revoke'],
  title: 'Sign a browser out',
  description:
    'Signs out one browser or all of them. Their requests are refused from then on, and their open streams end.',
  access: 'owner',
  isTool: false,
  input: z.object({ loginId: z.string().min(1).max(40).describe('The id from list_logins, or "all"') }),
  output: z.object({ revoked: z.number().describe('How many browsers were signed out') }),
  readOnly: false,
})

/** The browsers that are signed in to the dashboard. */
export interface BrowserLogins {
  list(): readonly Omit<BrowserLogin, 'isThis'>[]
  /** Returns whether there was such a login. */
  revoke(loginId: string): boolean
}
