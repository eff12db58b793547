import type { Agent } from 'node:https'
import type { Dispatcher } from 'undici'

/** A forward proxy and its credentials. Plain data, so that it can be passed to threads. */
export interface ProxyAccess {
  /** `http://` or `https://` with a host and a port. */
  readonly url: string
  /** The value of Proxy-Authorization. Absent if the proxy asks for no password. */
  readonly authorization?: string | undefined
}

/**
 * The means to connect through one proxy (`throughProxy`) or without a proxy (`straight`). Addresses on this machine
 * are reached without the proxy.
 */
export interface WayOut {
  readonly fetch: typeof globalThis.fetch
  /** Makes each request over a separate connection. */
  readonly freshly: typeof globalThis.fetch
  /** For libraries that accept an undici dispatcher. */
  readonly dispatcher: Dispatcher
  /**
   * For libraries that accept a node:https agent. It uses the proxy for every address. Undefined if there is no proxy.
   */
  readonly agent: Agent | undefined
  /** Ends all connections. */
  end(): void
}

/** The proxy refused or was unreachable, so the request did not arrive. Contains no address and no password. */
export class ProxyFailure extends Error {}

const hereHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Whether an address is on this machine, so that no proxy is used. */
export function isHere(address: string | URL): boolean {
  return hereHosts.has(new URL(address).hostname)
}

/** The same hosts in the form that undici expects. */
export const withoutProxy = [...hereHosts].join(',')

const meanings: Readonly<Record<number, string>> = {
  403: ': it does not let this address through',
  407: ': it asks for another user or password',
}

export function refusedWith(status: number): ProxyFailure {
  return new ProxyFailure(`the proxy answered with ${status}${meanings[status] ?? ''}`)
}

const unreached = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH'])

/** How the proxy caused a request to fail; undefined if the proxy is not known to be the cause. */
export function proxyFailureIn(error: unknown): ProxyFailure | undefined {
  if (error instanceof ProxyFailure) return error
  if (!(error instanceof Error)) return undefined
  const { message, code, cause, errors } = error as Error & { code?: string; errors?: readonly unknown[] }
  const [, status] = /^Proxy response \((\d+)\)/.exec(message) ?? []
  if (status !== undefined) return refusedWith(Number(status))
  if (code !== undefined && unreached.has(code)) return new ProxyFailure(`the proxy cannot be reached (${code})`)
  return proxyFailureIn(cause ?? errors?.[0])
}
