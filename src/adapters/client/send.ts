import type { Agent, IncomingMessage } from 'node:http'

interface Sent {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

let ownAgent: Agent | undefined

/**
 * Sends one HTTP request to a daemon on this machine. Resolves when the response headers have arrived; the caller must
 * read the body. Uses its own agent, because the environment can route the global agent, and `fetch`, through a proxy,
 * which would get the credential. Uses neither `fetch` nor an import of node:http, because either loads TLS, HTTP/2 and
 * undici, which takes longer than the rest of a command.
 */
export function send(url: string, { method = 'GET', headers = {}, body, signal }: Sent): Promise<IncomingMessage> {
  const http = process.getBuiltinModule('node:http')
  ownAgent ??= new http.Agent({ keepAlive: true })
  const options = { method, headers, signal, agent: ownAgent }
  return new Promise((resolve, reject) => {
    http.request(url, options, resolve).on('error', reject).end(body)
  })
}

/** Like `send`, but parses the response body as JSON. `body` is undefined if it is not JSON. */
export async function sendForJson(
  url: string,
  sent: Sent,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const answer = await send(url, sent)
  let text = ''
  for await (const piece of answer.setEncoding('utf8') as AsyncIterable<string>) text += piece
  return { status: answer.statusCode ?? 0, body: parsed(text) }
}

/** Parses JSON. Returns undefined if the text is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
