import { AddressRefused, checkedLookup, type Resolve } from './checked-lookup.ts'
import type { Clock } from './clock.ts'
import { type Post, post, type Reply } from './post.ts'
import { ProxyFailure } from './proxy-access.ts'

/** One attempt to post a message to an endpoint of the owner. */
export interface Attempt extends Pick<Post, 'url' | 'headers' | 'body' | 'signal' | 'proxy'> {
  /** Whether the name in `url` may lead to an address of a private network. */
  readonly mayBePrivate?: boolean | undefined
  readonly clock: Clock
  /** How long the endpoint may take for a whole reply, milliseconds. */
  readonly withinMs: number
  /** Default: the system's. */
  readonly resolve?: Resolve | undefined
}

/**
 * `failed`: tells the owner why there is no reply, without the address. `isRefused`: Iris itself refused to send the
 * message.
 */
export type Attempted = { readonly reply: Reply } | { readonly failed: string; readonly isRefused: boolean }

/** Posts once, without following a redirect. Any status of the endpoint is a reply. Never rejects. */
export async function attempt({
  mayBePrivate,
  clock,
  withinMs,
  resolve,
  signal,
  ...message
}: Attempt): Promise<Attempted> {
  const tooLate = new AbortController()
  const cancelTimer = clock.after(withinMs, () => tooLate.abort())
  try {
    const lookup = checkedLookup(message.url, mayBePrivate, resolve)
    return { reply: await post({ ...message, lookup, signal: AbortSignal.any([signal, tooLate.signal]) }) }
  } catch (error) {
    if (tooLate.signal.aborted) return { failed: `it did not answer within ${withinMs} ms`, isRefused: false }
    if (error instanceof AddressRefused) return { failed: error.message, isRefused: true }
    if (error instanceof ProxyFailure) return { failed: error.message, isRefused: false }
    // Only the code: the message of an error may contain the address.
    const code = (error as NodeJS.ErrnoException).code ?? 'no whole reply'
    return { failed: `it could not be reached (${code})`, isRefused: false }
  } finally {
    cancelTimer()
  }
}
