import { post as postOnce } from '../../../base/lib/post.ts'
import type { ProxyAccess } from '../../../base/lib/proxy-access.ts'

const patienceMs = 10_000

/** Sends one request of OTLP over HTTP. Returns what went wrong; never rejects. */
export async function post(
  endpoint: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  proxy?: ProxyAccess,
): Promise<string | undefined> {
  const { origin } = new URL(endpoint)
  try {
    const all = { 'content-type': 'application/json', ...headers }
    const signal = AbortSignal.timeout(patienceMs)
    const { status } = await postOnce({ url: endpoint, headers: all, body, proxy, signal })
    return status >= 200 && status < 300 ? undefined : `the collector at ${origin} answered with ${status}`
  } catch (error) {
    // If several addresses were tried, the error itself has no message.
    const { message, code } = error as Error & { code?: string }
    return `the collector at ${origin} cannot be reached: ${message || code}`
  }
}
