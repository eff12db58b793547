import { z } from 'zod'
import { journalTypes } from '../../base/protocol/journal.ts'
import { danger, withMetadata } from './field-metadata.ts'
import { oneOf, path } from './fields.ts'
import { proxy } from './proxy.ts'
import { mayBePrivate, webhookUrl } from './webhook.ts'

const out = danger('chooses who outside learns what agents answer')

/** The name of a callback, as used in config.yaml, asks, commands, the log and the store. */
export const CallbackName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'a callback is 1 to 32 small letters, digits, _ or -, and starts with a letter')

/** One callback in config.yaml: an endpoint to which Iris posts the events of messages that name it. */
export const CallbackEntry = z
  .strictObject({
    url: withMetadata(webhookUrl, out),
    /** If there are several secrets, Iris signs with each, so that a receiver can change its secret. */
    secretFile: withMetadata(
      z
        .union([path, z.array(path).min(1).max(3)])
        .describe('the path of a file with a secret, or a list of up to three'),
      out,
    ),
    events: withMetadata(
      z
        .array(oneOf(journalTypes))
        .min(1, 'is empty, so nothing would be sent')
        .default(['turn-settled'])
        .describe(`a list of ${journalTypes.join(', ')}`),
      out,
    ),
    /** The teams whose messages may name the callback. If absent, the messages of all teams may. */
    teams: withMetadata(z.array(z.string()).min(1).optional().describe('a list of names of teams'), out),
    include: withMetadata(oneOf(['status', 'answer']).default('status'), out),
    private: withMetadata(mayBePrivate.default(false), out),
    /** The proxy resolves the host name in `url`, so Iris cannot check where that name leads. */
    proxy: withMetadata(proxy.optional(), out),
  })
  .describe('a mapping with url and secretFile')
