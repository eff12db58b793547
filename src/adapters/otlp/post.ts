const patienceMs = 10_000

/** Sends one request of OTLP over HTTP. Returns what went wrong; never rejects. */
export async function post(
  endpoint: string,
  headers: Readonly<Record<string, string>>,
  body: string,
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
