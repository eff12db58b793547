import { type Clock, pause } from '../../../base/lib/clock.ts'
import { type Post, post, type Reply } from '../../../base/lib/post.ts'
import { ProxyFailure } from '../../../base/lib/proxy-access.ts'
import type { FoundProxy } from '../../../platform/config/proxy.ts'

const attemptMs = 10_000
/** Before the second attempt, the third, the fourth. */
const pausesMs = [1000, 4000, 15_000]

export interface Delivery {
  readonly url: string
  /** Made for each attempt, because the signature contains its time. */
  readonly message: () => Pick<Post, 'headers' | 'body'>
  /** Reads the password of the endpoint's proxy; undefined: there is no proxy. */
  readonly proxy?: (() => Promise<FoundProxy>) | undefined
  readonly clock: Clock
  /** Aborts when nobody needs the delivery any more. */
  readonly signal: AbortSignal
}

export type Delivered = { readonly reply: Reply } | { readonly failed: string }

/** Posts until the endpoint accepts (2xx). Retries failures that may be temporary. `failed` never names the address. */
export async function deliver(delivery: Delivery): Promise<Delivered> {
  for (let attempt = 0; ; attempt++) {
    const outcome = await once(delivery)
    const pauseMs = pausesMs[attempt]
    if (!('failed' in outcome) || outcome.isFinal || pauseMs === undefined) return outcome
    await pause(delivery.clock, pauseMs, delivery.signal)
    if (delivery.signal.aborted) return outcome
  }
}

type Attempt = { readonly reply: Reply } | { readonly failed: string; readonly isFinal: boolean }

async function once({ url, message, proxy, clock, signal }: Delivery): Promise<Attempt> {
  const way = await proxy?.()
  if (way !== undefined && 'problem' in way) return { failed: way.problem, isFinal: true }
  const tooLate = new AbortController()
  const cancelTimer = clock.after(attemptMs, () => tooLate.abort())
  try {
    const either = AbortSignal.any([signal, tooLate.signal])
    const reply = await post({ url, ...message(), proxy: way?.access, signal: either })
    if (reply.status >= 200 && reply.status < 300) return { reply }
    const mayPass = reply.status >= 500 || reply.status === 429
    return { failed: `it answered with the HTTP status ${reply.status}`, isFinal: !mayPass }
  } catch (error) {
    if (tooLate.signal.aborted) return { failed: `it did not answer within ${attemptMs} ms`, isFinal: false }
    if (error instanceof ProxyFailure) return { failed: error.message, isFinal: signal.aborted }
    // Only the code: the message of an error may contain the address.
    const code = (error as NodeJS.ErrnoException).code ?? 'no whole reply'
    return { failed: `it could not be reached (${code})`, isFinal: signal.aborted }
  } finally {
    cancelTimer()
  }
}
