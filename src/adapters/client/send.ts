import type { IncomingMessage } from 'node:http'

interface Sent {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/**
 * One HTTP request; resolves with the beginning of the answer, whose body has to be read. Instead of `fetch`, and without
 * an import of node:http: either loads TLS, HTTP/2 and undici, which takes longer than all else that a command does.
 */
export function send(url: string, { method = 'GET', headers = {}, body, signal }: Sent): Promise<IncomingMessage> {
  const { request } = process.getBuiltinModule('node:http')
  return new Promise((resolve, reject) => {
    request(url, { method, headers, signal }, resolve).on('error', reject).end(body)
  })
}
