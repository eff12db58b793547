import { z } from 'zod'
import { text } from './fields.ts'

const loopback = new Set(['127.0.0.1', 'localhost', '[::1]'])
const minSecret = 32
/** The minimum length of the key after `whsec_`, in bytes, as Standard Webhooks requires. */
const minKeyBytes = 24

/**
 * An endpoint to which Iris posts signed messages. `checkedLookup` restricts which addresses its host name may resolve
 * to.
 */
export const webhookUrl = text
  .refine((written) => URL.canParse(written), { error: 'is not a URL', abort: true })
  .refine((written) => isPrivateWay(new URL(written)), 'goes over a network in the clear')
  .refine((written) => isBare(new URL(written)), 'contains a user name or a password')
  .describe('an https:// address, or an http:// one on this machine, without a name or password in it')

/** The secret with which Iris signs its messages. */
export const webhookSecret = text
  .refine((written) => written.length >= minSecret, `is shorter than ${minSecret} characters`)
  .refine(hasKey, `is not a key: whsec_ must be followed by base64 of at least ${minKeyBytes} bytes`)
  .describe(`a random text of at least ${minSecret} characters, or whsec_ and a key in base64`)

/** The key `private`, next to the address. */
export const mayBePrivate = z
  .boolean()
  .describe('true if the host name in the address leads into your own network, or false')

function isPrivateWay({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && loopback.has(hostname))
}

/**
 * The signature is the credential. A user name in the address would be a second credential, in a text that is printed.
 */
function isBare({ username, password }: URL): boolean {
  return username === '' && password === ''
}

function hasKey(written: string): boolean {
  const [, key] = /^whsec_(.*)$/s.exec(written) ?? []
  if (key === undefined) return true
  return /^[A-Za-z0-9+/]*={0,2}$/.test(key) && Buffer.from(key, 'base64').length >= minKeyBytes
}
