import { createHmac, timingSafeEqual } from 'node:crypto'

/** How far the time of a signed message may be from the time here: five minutes each way. */
export const toleranceMs = 300_000

export type SignedHeaders = Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>>

/** A message that is not signed yet. */
export interface Unsigned {
  /** The same for every attempt to send it. */
  readonly id: string
  /** When the event happened, milliseconds since the epoch. */
  readonly at: number
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * Body and headers of a message in the form of Standard Webhooks: type, timestamp and data. `now` is the time of the
 * attempt. Every secret adds a signature, so it is enough if the receiver knows one of them, the new one or the old
 * one.
 */
export function signedJson({ type, id, at, data }: Unsigned, secrets: string | readonly string[], now: number) {
  const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data })
  return { body, headers: { 'content-type': 'application/json', ...signedHeaders(secrets, { id, at: now, body }) } }
}

/**
 * The headers of a message in the form of Standard Webhooks 1.0 (standardwebhooks.com), signed `v1`: HMAC-SHA256. `at`:
 * milliseconds since the epoch.
 */
export function signedHeaders(
  secrets: string | readonly string[],
  { id, at, body }: { id: string; at: number; body: string },
): SignedHeaders {
  const timestamp = String(Math.floor(at / 1000))
  const bytes = Buffer.from(body)
  const signatures = [secrets]
    .flat()
    .map((secret) => `v1,${signature(secret, id, timestamp, bytes).toString('base64')}`)
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

export interface Received {
  readonly header: (name: keyof SignedHeaders) => string | undefined
  /** The bytes as received: a body that was parsed and serialized again would have another signature. */
  readonly body: Uint8Array
}

export type Verified = { readonly id: string } | { readonly refused: string }

/**
 * Checks that a holder of the secret signed the message within the tolerance. If there are several signatures, one must
 * match.
 */
export function verify(secret: string, { header, body }: Received, now: number): Verified {
  const [id = '', timestamp = ''] = [header('webhook-id'), header('webhook-timestamp')]
  // A dot in the id or the timestamp would let one message pass for another.
  if (!/^[\w-]{1,200}$/.test(id) || !/^\d{1,12}$/.test(timestamp)) return { refused: 'it is not signed' }
  const expected = signature(secret, id, timestamp, body)
  const given = (header('webhook-signature') ?? '').split(' ').filter((one) => one.startsWith('v1,'))
  if (!given.some((one) => equal(Buffer.from(one.slice(3), 'base64'), expected))) {
    return { refused: 'its signature was not made with the secret of forwardTo' }
  }
  if (Math.abs(Number(timestamp) * 1000 - now) > toleranceMs) {
    return { refused: 'its webhook-timestamp differs from the time here by more than five minutes' }
  }
  return { id }
}

function signature(secret: string, id: string, timestamp: string, body: Uint8Array): Buffer {
  return createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest()
}

/** The standard writes keys as `whsec_` and base64; any other text is its own bytes. */
function keyOf(secret: string): Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret)
}

function equal(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected)
}
