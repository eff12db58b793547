import { attempt } from '../../../base/lib/attempt.ts'
import type { Resolve } from '../../../base/lib/checked-lookup.ts'
import { type Clock, pause } from '../../../base/lib/clock.ts'
import type { Post, Reply } from '../../../base/lib/post.ts'
import type { FoundProxy } from '../../../platform/config/proxy.ts'

const attemptMs = 10_000
/** The pauses before the second, third and fourth attempt. */
const pausesMs = [1000, 4000, 15_000]

export interface Delivery {
  readonly url: string
  /** The name in `url` may lead to an address of a private network. */
  readonly mayBePrivate?: boolean | undefined
  /** Resolves the name in `url`. Default: the system's resolver. */
  readonly resolve?: Resolve | undefined
  /** Builds the message for each attempt, because the signature contains the time of the attempt. */
  readonly message: () => Pick<Post, 'headers' | 'body'>
  /** Reads the password of the endpoint's proxy; undefined if there is no proxy. */
  readonly proxy?: (() => Promise<FoundProxy>) | undefined
  readonly clock: Clock
  /** Aborts when nobody needs the delivery any more. */
  readonly signal: AbortSignal
}

export type Delivered = { readonly reply: Reply } | { readonly failed: string }

/** Posts until the endpoint accepts (2xx). Retries failures that may be temporary. `failed` never names the address. */
export async function deliver(delivery: Delivery): Promise<Delivered> {
  for (let tried = 0; ; tried++) {
    const outcome = await once(delivery)
    const pauseMs = pausesMs[tried]
    if (!('failed' in outcome) || outcome.isFinal || pauseMs === undefined) return outcome
    await pause(delivery.clock, pauseMs, delivery.signal)
    if (delivery.signal.aborted) return outcome
  }
}

type Once = { readonly reply: Reply } | { readonly failed: string; readonly isFinal: boolean }

async function once({ url, mayBePrivate, resolve, message, proxy, clock, signal }: Delivery): Promise<Once> {
  const way = await proxy?.()
  if (way !== undefined && 'problem' in way) return { failed: way.problem, isFinal: true }
  const { headers, body } = message()
  const sent = { url, mayBePrivate, resolve, headers, body, proxy: way?.access, clock, signal, withinMs: attemptMs }
  const outcome = await attempt(sent)
  if ('failed' in outcome) return { failed: outcome.failed, isFinal: outcome.isRefused || signal.aborted }
  const { status } = outcome.reply
  if (status >= 200 && status < 300) return outcome
  const mayPass = status >= 500 || status === 429
  return { failed: `it answered with the HTTP status ${status}`, isFinal: !mayPass }
}
