import { z } from 'zod'
import { danger, withMetadata } from './field-metadata.ts'
import { milliseconds, path, wholeNumber } from './fields.ts'

const others = { ...danger('lets other hosts ask your agents'), restart: true } as const

const server = z
  .string()
  .regex(/^(nats|tls):\/\/[^\s/@]+$/, 'is not nats:// or tls:// with a host and, if need be, a port')
  // With an IP address, the certificate would be compared with the name localhost instead.
  .refine(
    (url) => !url.startsWith('tls://') || !isAddress(url),
    'needs the name in the certificate of the server: tls:// with an address cannot be checked',
  )

const monitor = z
  .string()
  .regex(/^http:\/\/[^\s/@]+\/?$/, 'is not http:// with a host and, if need be, a port')
  .describe('http:// with a host and, if need be, a port')

function isAddress(url: string): boolean {
  return URL.canParse(url) && /^(\[.*\]|[\d.]+)$/.test(new URL(url).hostname)
}

/** The name of a host among the connected hosts. It follows the `@` in team names, and is a part of NATS subjects. */
export const hostName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,30}$/, 'a host is 1 to 31 small letters, digits or -, and starts with a letter')

/** `cluster` of config.yaml: the servers that connect this host with others. */
export const Cluster = z
  .strictObject({
    servers: withMetadata(
      z
        .preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(server).min(1, 'is empty'))
        .describe('an address such as nats://10.0.0.5:4222, or a list of them'),
      others,
    ),
    name: withMetadata(hostName.describe('the name of this host, such as studio'), others),
    credentials: withMetadata(path.optional(), others),
    ca: withMetadata(path.optional(), others),
    monitor: withMetadata(monitor.optional(), others),
    leaderAway: withMetadata(milliseconds.default(600_000), others),
    replicas: withMetadata(wholeNumber(1, 5, 'servers').default(1), others),
  })
  .refine(
    ({ servers, ca }) => ca === undefined || servers.every((url) => url.startsWith('tls://')),
    'has ca, which is for servers with tls://',
  )
  .describe('a mapping with servers and name')

export const hostNames = z.array(hostName).describe('a list of names of hosts')
