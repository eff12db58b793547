import { z } from 'zod'
import { chatId } from './channels.ts'
import { oneOf } from './fields.ts'
import { proxy } from './proxy.ts'
import { mayBePrivate, webhookSecret, webhookUrl } from './webhook.ts'

/** The destination and format of permission requests of a team with `grantPermission: forward`. */
export const forwardTo = z
  .strictObject({
    url: webhookUrl.optional(),
    format: oneOf(['json', 'slack', 'discord']).default('json'),
    /** Signs questions and verifies answers. */
    secret: webhookSecret.optional(),
    /** Whether the name in `url` may resolve to an address in a private network. */
    private: mayBePrivate.optional(),
    /** Questions go to the address through this proxy. */
    proxy: proxy.optional(),
    /** Instead of `url`: a channel of config.yaml, the chat there, and the people who may answer with its buttons. */
    channel: z.string().optional().describe('the name of a channel'),
    chat: chatId.optional().describe('the id of a chat'),
    approvers: z.array(chatId).min(1).optional().describe('a list of ids of people'),
  })
  .refine(
    ({ url, secret, format, private: isPrivate, proxy: way, ...chat }) => {
      const isGiven = (values: readonly unknown[]): boolean => values.every((value) => value !== undefined)
      const isFree = (values: readonly unknown[]): boolean => values.every((value) => value === undefined)
      const [webhook, inChat] = [
        [url, secret],
        [chat.channel, chat.chat, chat.approvers],
      ]
      const isPlain = format === 'json' && way === undefined && isPrivate === undefined
      return (isGiven(webhook) && isFree(inChat)) || (isFree(webhook) && isGiven(inChat) && isPlain)
    },
    { error: 'needs url and secret, or channel, chat and approvers' },
  )
  .describe(
    'a mapping with url and secret, and optionally format, private and proxy; or with channel, chat and approvers',
  )
