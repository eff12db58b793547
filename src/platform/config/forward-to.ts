import { z } from 'zod'
import { chatId } from './channels.ts'
import { oneOf, text } from './fields.ts'
import { proxy } from './proxy.ts'

const loopback = new Set(['127.0.0.1', 'localhost', '[::1]'])
const minSecret = 32
/** The least length that Standard Webhooks asks of a key after `whsec_`, in bytes. */
const minKeyBytes = 24

const url = text
  .refine((written) => URL.canParse(written), { error: 'is not a URL', abort: true })
  .refine((written) => isPrivateWay(new URL(written)), 'goes over a network in the clear')
  .refine((written) => isBare(new URL(written)), 'holds a name or a password')
  .describe('an https:// address, or an http:// one on this machine, without a name or password in it')

const secret = text
  .refine((written) => written.length >= minSecret, `is shorter than ${minSecret} characters`)
  .refine(hasKey, `is no key: after whsec_ comes base64 of at least ${minKeyBytes} bytes`)
  .describe(`a random text of at least ${minSecret} characters, or whsec_ and a key in base64`)

/** Where questions of a team with `grantPermission: forward` go, and in which format. */
export const forwardTo = z
  .strictObject({
    url: url.optional(),
    format: oneOf(['json', 'slack', 'discord']).default('json'),
    /** Signs questions and verifies answers. */
    secret: secret.optional(),
    /** Questions go to the address through this proxy. */
    proxy: proxy.optional(),
    /** Instead: a channel of config.yaml, the chat there, and who may answer by its buttons. */
    channel: z.string().optional().describe('the name of a channel'),
    chat: chatId.optional().describe('the id of a chat'),
    approvers: z.array(chatId).min(1).optional().describe('a list of ids of people'),
  })
  .refine(
    ({ url, secret, format, proxy: way, ...chat }) => {
      const isGiven = (values: readonly unknown[]): boolean => values.every((value) => value !== undefined)
      const isFree = (values: readonly unknown[]): boolean => values.every((value) => value === undefined)
      const [webhook, inChat] = [
        [url, secret],
        [chat.channel, chat.chat, chat.approvers],
      ]
      const isPlain = format === 'json' && way === undefined
      return (isGiven(webhook) && isFree(inChat)) || (isFree(webhook) && isGiven(inChat) && isPlain)
    },
    { error: 'needs url and secret, or channel, chat and approvers' },
  )
  .describe('a mapping with url, secret and, if it is not json, format, and proxy; or with channel, chat and approvers')

function isPrivateWay({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && loopback.has(hostname))
}

/** The signature is the credential. A name in the address would be a second one, in a place that is printed. */
function isBare({ username, password }: URL): boolean {
  return username === '' && password === ''
}

function hasKey(written: string): boolean {
  const [, key] = /^whsec_(.*)$/s.exec(written) ?? []
  if (key === undefined) return true
  return /^[A-Za-z0-9+/]*={0,2}$/.test(key) && Buffer.from(key, 'base64').length >= minKeyBytes
}
