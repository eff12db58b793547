import type { IncomingMessage } from 'node:http'

interface Sent {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/**
 * Sends one HTTP request. Resolves when the headers of the answer have come; the caller has to read the body. Uses
 * neither `fetch` nor an import of node:http: either loads TLS, HTTP/2 and undici, which takes longer than the rest of
 * a command.
 */
export function send(url: string, { method = 'GET', headers = {}, body, signal }: Sent): Promise<IncomingMessage> {
  const { request } = process.getBuiltinModule('node:http')
  return new Promise((resolve, reject) => {
    request(url, { method, headers, signal }, resolve).on('error', reject).end(body)
  })
}
