/** A failed download. `mayPass`: another try may succeed. */
export class DownloadFailure extends Error {
  readonly mayPass: boolean

  constructor(message: string, mayPass: boolean) {
    super(message)
    this.mayPass = mayPass
  }
}

const timeoutMs = 30_000

interface Download {
  readonly origins: readonly string[]
  readonly mostBytes: number
  readonly headers?: Record<string, string>
  readonly signal: AbortSignal
  /** A `fetch` that uses a proxy; default: Node.js's own. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/**
 * The content behind an address of one of these origins, at most `mostBytes`. Follows no redirects: `headers` may hold
 * a token. Throws DownloadFailure, at once when `signal` aborts.
 */
export async function download(
  address: string,
  { origins, mostBytes, headers = {}, signal, fetch = globalThis.fetch }: Download,
): Promise<Buffer> {
  const origin = URL.canParse(address) ? new URL(address).origin : undefined
  if (origin === undefined || !origins.includes(origin)) throw new DownloadFailure('it is kept elsewhere', false)
  try {
    const response = await fetch(address, {
      headers,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    if (response.ok) return await bounded(response, mostBytes)
    await response.body?.cancel()
    throw new DownloadFailure(`the answer was ${response.status}`, response.status === 429 || response.status >= 500)
  } catch (error) {
    if (error instanceof DownloadFailure) throw error
    // The error may quote the address, which may hold a token.
    throw new DownloadFailure('the connection broke', true)
  }
}

async function bounded({ body }: Response, mostBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    // Leaving the loop ends the download.
    if (bytes > mostBytes) throw new DownloadFailure('it is too large', false)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
