import { z } from 'zod'
import type { ProxyAccess } from '../../base/lib/proxy-access.ts'
import { channelToken } from './channel-token.ts'
import { path, text, variable } from './fields.ts'
import type { Environment } from './home.ts'

const url = text
  .refine((written) => URL.canParse(written), { error: 'is not a URL', abort: true })
  .refine((written) => isBare(new URL(written)), {
    error: 'contains a user name, a password or more than a host and a port: see user and passwordFile',
    abort: true,
  })
  .refine((written) => /^https?:$/.test(new URL(written).protocol), 'begins with neither http:// nor https://')
  .describe('http:// or https:// with the host and the port of the proxy, and nothing more')

/** A forward proxy for one kind of outgoing connection. The password is never in config.yaml. */
export const proxy = z
  .strictObject({
    url,
    user: text.refine((name) => !/[:\p{Cc}]/u.test(name), 'contains a colon or a control character').optional(),
    passwordFile: path.optional(),
    passwordVariable: variable,
  })
  .refine(
    ({ user, passwordFile, passwordVariable }) =>
      [passwordFile, passwordVariable].filter((place) => place !== undefined).length === (user === undefined ? 0 : 1),
    { error: 'needs user and one of passwordFile and passwordVariable, or none of them' },
  )
  .describe('a mapping with url and, if the proxy asks for them, user and passwordFile or passwordVariable')
export type Proxy = z.output<typeof proxy>

/** How to use a proxy, and the secrets that this includes; or a sentence that tells the owner why it cannot be used. */
export type FoundProxy =
  | { readonly access: ProxyAccess; readonly secrets: readonly string[] }
  | { readonly problem: string }

/** Reads a proxy's password from Iris's environment or from a file that only the owner can read. */
export async function proxyAccess(
  { url: written, user, passwordFile, passwordVariable }: Proxy,
  home: string,
  env: Environment,
): Promise<FoundProxy> {
  const { origin } = new URL(written)
  if (user === undefined) return { access: { url: origin }, secrets: [] }
  const found = await channelToken({ tokenFile: passwordFile, tokenVariable: passwordVariable }, home, env)
  if ('problem' in found) return { problem: `the password of the proxy cannot be used: ${found.problem}` }
  const { token: password } = found
  const encoded = Buffer.from(`${user}:${password}`).toString('base64')
  return { access: { url: origin, authorization: `Basic ${encoded}` }, secrets: [password, encoded] }
}

function isBare({ username, password, pathname, search, hash }: URL): boolean {
  return `${username}${password}${search}${hash}` === '' && (pathname === '/' || pathname === '')
}
