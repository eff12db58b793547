import { Agent, type RequestOptions } from 'node:https'
import type { Duplex } from 'node:stream'
import { type ConnectionOptions, connect } from 'node:tls'
import { Client, type Dispatcher, EnvHttpProxyAgent, Agent as StraightAgent, fetch as undiciFetch } from 'undici'
import { isHere, type ProxyAccess, proxyFailureIn, refusedWith, type WayOut, withoutProxy } from './proxy-access.ts'

/** The environment could otherwise switch off certificate checks. */
const checked = { rejectUnauthorized: true }
const connectMs = 10_000

/**
 * Connects through a proxy, for one client: nothing global changes. Every request goes through a tunnel (CONNECT), so
 * with `https:` the proxy sees only host and port. Import this only if there is a proxy: it loads undici.
 */
export function throughProxy({ url, authorization }: ProxyAccess): WayOut {
  const options = {
    httpProxy: url,
    httpsProxy: url,
    noProxy: withoutProxy,
    proxyTls: checked,
    requestTls: checked,
    ...(authorization !== undefined && { token: authorization }),
  }
  const dispatcher = new EnvHttpProxyAgent(options)
  const fresh = new EnvHttpProxyAgent({ ...options, pipelining: 0 })
  const proxy = new Client(new URL(url).origin, { connect: checked })
  const tunnel = async (target: string): Promise<Duplex> => {
    const headers = { host: target, ...(authorization !== undefined && { 'proxy-authorization': authorization }) }
    const signal = AbortSignal.timeout(connectMs)
    const { statusCode, socket } = await proxy.connect({ path: target, headers, signal })
    if (statusCode === 200) return socket
    socket.destroy()
    throw refusedWith(statusCode)
  }
  return {
    fetch: fetchBy(dispatcher, proxyFailureIn),
    freshly: fetchBy(fresh, proxyFailureIn),
    dispatcher,
    agent: new TunnelAgent(tunnel),
    end: () => void Promise.all([dispatcher.destroy(), fresh.destroy(), proxy.destroy()]),
  }
}

/**
 * Connects directly to each address. Needed where NODE_USE_ENV_PROXY or `--use-env-proxy` is set, because `fetch` would
 * go through the environment's proxy.
 */
export function straight(): WayOut {
  const [dispatcher, fresh] = [new StraightAgent(), new StraightAgent({ pipelining: 0 })]
  return {
    fetch: fetchBy(dispatcher),
    freshly: fetchBy(fresh),
    dispatcher,
    agent: undefined,
    end: () => void Promise.all([dispatcher.destroy(), fresh.destroy()]),
  }
}

function fetchBy(
  dispatcher: Dispatcher,
  failureIn: (error: unknown) => Error | undefined = () => undefined,
): typeof globalThis.fetch {
  const send = async (address: string | URL, { body, signal, headers, ...rest }: RequestInit = {}) => {
    const native = nativeSignal(signal)
    const init = { ...rest, ...(await contentOf(body, headers)), signal: native, dispatcher }
    return undiciFetch(address, init as Parameters<typeof undiciFetch>[1]).catch((error: unknown) => {
      throw (isHere(address) ? undefined : failureIn(error)) ?? error
    })
  }
  return send as unknown as typeof globalThis.fetch
}

/** Node.js's FormData is not undici's class, so its bytes are sent instead; a stream also needs the option `duplex`. */
async function contentOf(body: RequestInit['body'], headers: RequestInit['headers']): Promise<object> {
  if (body instanceof FormData) {
    const form = new Response(body)
    const type = form.headers.get('content-type') ?? ''
    const all = { ...Object.fromEntries(new Headers(headers)), 'content-type': type }
    return { body: Buffer.from(await form.arrayBuffer()), headers: all }
  }
  const isStream = typeof body === 'object' && body !== null && Symbol.asyncIterator in body
  return { body, headers, ...(isStream && { duplex: 'half' }) }
}

/** Some libraries have their own AbortSignal class. */
function nativeSignal(signal: AbortSignal | null | undefined): AbortSignal | undefined {
  if (signal === null || signal === undefined || signal instanceof AbortSignal) return signal ?? undefined
  const foreign: AbortSignal = signal
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  if (foreign.aborted) abort()
  else foreign.addEventListener('abort', abort, { once: true })
  return controller.signal
}

type Connected = (error: Error | null, socket: Duplex) => void

/** Each connection is TLS inside a tunnel through the proxy. */
class TunnelAgent extends Agent {
  readonly #tunnel: (target: string) => Promise<Duplex>

  constructor(tunnel: (target: string) => Promise<Duplex>) {
    super({ keepAlive: false, ...checked })
    this.#tunnel = tunnel
  }

  override createConnection(options: RequestOptions, connected: Connected = () => {}): undefined {
    const { host, port } = options
    this.#tunnel(`${host}:${port ?? 443}`).then(
      (socket) => connected(null, connect({ ...(options as ConnectionOptions), ...checked, socket })),
      (error: Error) => connected(proxyFailureIn(error) ?? error, undefined as unknown as Duplex),
    )
    return undefined
  }
}
