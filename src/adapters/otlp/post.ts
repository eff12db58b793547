import type { ProxyAccess } from '../../base/lib/proxy-access.ts'

const patienceMs = 10_000

/** What `post` sends with: through this proxy, or straight. */
export async function sender(proxy: ProxyAccess | undefined): Promise<typeof globalThis.fetch> {
  if (proxy === undefined) return globalThis.fetch
  const { throughProxy } = await import('../../base/lib/through-proxy.ts')
  return throughProxy(proxy).fetch
}

/** Sends one request of OTLP over HTTP. Returns what went wrong; never rejects. */
export async function post(
  endpoint: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  fetch = globalThis.fetch,
): Promise<string | undefined> {
  try {
    const response = await fetch(endpoint, {
      ...{ method: 'POST', body, redirect: 'error', signal: AbortSignal.timeout(patienceMs) },
      headers: { 'content-type': 'application/json', ...headers },
    })
    await response.body?.cancel()
    return response.ok ? undefined : `the collector at ${new URL(endpoint).origin} answered with ${response.status}`
  } catch (error) {
    // fetch itself only says that it failed; of several addresses that were tried, the cause has no words of its own.
    const { cause, message } = error as Error & { cause?: Error & { code?: string } }
    const why = cause?.message || cause?.code || message
    return `the collector at ${new URL(endpoint).origin} cannot be reached: ${why}`
  }
}
