import { Agent, type IncomingMessage, request } from 'node:http'
import { request as requestTls, Agent as TlsAgent } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { ProxyAccess } from './proxy-access.ts'

export interface Post {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
  /** Resolves the name in `url` for a direct connection. Default: the system's resolver. */
  readonly lookup?: LookupFunction | undefined
  /** Undefined for a direct connection. */
  readonly proxy?: ProxyAccess | undefined
}

export interface Reply {
  readonly status: number
  readonly header: (name: string) => string | undefined
  /** Undefined when it was longer than `longestReply`. */
  readonly body: Buffer | undefined
}

const maxReply = 64 * 1024

// Separate agents, because the environment can send the global ones, and fetch, through a proxy, and can disable
// certificate checks.
const plain = new Agent({ keepAlive: false })
const tls = new TlsAgent({ keepAlive: false, rejectUnauthorized: true })

/**
 * Sends one POST, directly or through the given proxy, never through one from the environment. Follows no redirect.
 * Rejects if no whole reply comes.
 */
export async function post({ proxy, ...sent }: Post): Promise<Reply> {
  return proxy === undefined ? postStraight(sent) : postThrough(proxy, sent)
}

async function postThrough(proxy: ProxyAccess, { url, headers, body, signal }: Post): Promise<Reply> {
  const { throughProxy } = await import('./through-proxy.ts')
  const way = throughProxy(proxy)
  try {
    const reply = await way.freshly(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    return {
      status: reply.status,
      header: (name) => reply.headers.get(name) ?? undefined,
      body: reply.body === null ? Buffer.alloc(0) : await bytesOf(reply.body as AsyncIterable<Uint8Array>),
    }
  } finally {
    way.end()
  }
}

async function postStraight({ url, headers, body, signal, lookup }: Post): Promise<Reply> {
  const send = url.startsWith('https:') ? requestTls : request
  const agent = url.startsWith('https:') ? tls : plain
  const bytes = Buffer.from(body)
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { method: 'POST', agent, signal, lookup, headers: { ...headers, 'content-length': bytes.length } }
    send(new URL(url), options, resolve).on('error', reject).end(bytes)
  })
  return {
    status: reply.statusCode ?? 0,
    header: (name) => reply.headers[name]?.toString(),
    body: await bytesOf(reply),
  }
}

async function bytesOf(reply: AsyncIterable<Uint8Array>): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of reply) {
    length += chunk.length
    // Leaving the loop ends the connection.
    if (length > maxReply) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
