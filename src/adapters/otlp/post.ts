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
    return response.ok ? undefined : `it answered with ${response.status}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
