import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { verify } from '../../base/lib/webhook-signature.ts'
import type { TriggerConfig } from '../../platform/config/config.ts'

/** A request as it came. */
export interface Received {
  readonly header: (name: string) => string | undefined
  /** The bytes as received: a body that is parsed and written again has another signature. */
  readonly body: Uint8Array
}

/** How a repeat of an event is recognized: by `hash`, for `keptMs` milliseconds. */
export interface Identity {
  readonly hash: string
  readonly keptMs: number
}

const dayMs = 86_400_000
/** Longer than the time in which senders repeat events by themselves or by hand. */
export const longestKeptMs = 30 * dayMs
/** For an event that only its content identifies: the same alert may come again tomorrow. */
const shortKeptMs = 600_000

/**
 * Verifies that the sender has one of the secrets. Returns what identifies the event; undefined if the sender has none
 * of them.
 */
export function identityOf(
  scheme: TriggerConfig['scheme'],
  secrets: readonly string[],
  received: Received,
  now: number,
): Identity | undefined {
  // Tries each secret, so that the time does not reveal which of them is valid.
  const found = secrets.map((secret) => schemes[scheme](secret, received, now))
  return found.find((each) => each !== undefined)
}

type Scheme = (secret: string, received: Received, now: number) => Identity | undefined

const schemes: Readonly<Record<TriggerConfig['scheme'], Scheme>> = {
  /** Standard Webhooks 1.0, which GitLab's signing tokens use too: id, time and body are signed. */
  standard: (secret, received, now) => {
    const verified = verify(secret, received, now)
    return 'refused' in verified ? undefined : { hash: hashOf('id', verified.id), keptMs: longestKeptMs }
  },
  /** `X-Hub-Signature-256`. Neither a time nor the id of the delivery is signed. */
  github: (secret, { header, body }) => {
    const [, hex] = /^sha256=([0-9a-f]{64})$/.exec(header('x-hub-signature-256') ?? '') ?? []
    const expected = createHmac('sha256', secret).update(body).digest()
    if (hex === undefined || !timingSafeEqual(Buffer.from(hex, 'hex'), expected)) return undefined
    return { hash: hashOf('body', body), keptMs: longestKeptMs }
  },
  /** A bearer token, or the header of GitLab's older form. */
  token: (secret, { header, body }) => {
    const [, bearer] = /^bearer +(\S+)$/i.exec(header('authorization') ?? '') ?? []
    const given = bearer ?? header('x-gitlab-token')
    if (given === undefined || !timingSafeEqual(digest(given), digest(secret))) return undefined
    const key = header('idempotency-key')?.trim()
    if (key !== undefined && key !== '') return { hash: hashOf('key', key), keptMs: longestKeptMs }
    return { hash: hashOf('body', body), keptMs: shortKeptMs }
  },
}

/** `kind` keeps a key and a body from having the same hash. */
function hashOf(kind: 'id' | 'key' | 'body', content: string | Uint8Array): string {
  return createHash('sha256').update(`${kind}:`).update(content).digest('hex')
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
