import { Agent, type IncomingMessage, request } from 'node:http'
import { request as requestTls, Agent as TlsAgent } from 'node:https'

export interface Post {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

export interface Reply {
  readonly status: number
  readonly header: (name: string) => string | undefined
  /** Undefined when it was longer than `longestReply`. */
  readonly body: Buffer | undefined
}

const longestReply = 64 * 1024

// Separate agents: the environment can send the global ones, and fetch, through a proxy, and can disable the check of
// certificates.
const plain = new Agent({ keepAlive: false })
const tls = new TlsAgent({ keepAlive: false, rejectUnauthorized: true })

/** One POST, straight to the address: no proxy, no redirect followed. Rejects when no whole reply comes. */
export async function post({ url, headers, body, signal }: Post): Promise<Reply> {
  const send = url.startsWith('https:') ? requestTls : request
  const agent = url.startsWith('https:') ? tls : plain
  const bytes = Buffer.from(body)
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { method: 'POST', agent, signal, headers: { ...headers, 'content-length': bytes.length } }
    send(new URL(url), options, resolve).on('error', reject).end(bytes)
  })
  return {
    status: reply.statusCode ?? 0,
    header: (name) => reply.headers[name]?.toString(),
    body: await bytesOf(reply),
  }
}

async function bytesOf(reply: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of reply as AsyncIterable<Buffer>) {
    length += chunk.length
    // Leaving the loop ends the connection.
    if (length > longestReply) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
