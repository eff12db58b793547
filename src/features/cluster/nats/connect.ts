import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node'

export interface Place {
  readonly servers: readonly string[]
  /** The name of this host. */
  readonly self: string
  /** The text of a `.creds` file, or `user:password`; absent if the servers ask for no credentials. */
  readonly credentials?: string | undefined
  /**
   * The file with the certificate that signed the servers' certificates, PEM. If absent, Node's own list of authorities
   * applies.
   */
  readonly ca?: string | undefined
}

const timeoutMs = 5000

/** This host's connection, which is made again after each break. */
export function connectHost({ self, ...place }: Place): Promise<NatsConnection> {
  return connect({
    name: `iris ${self}`,
    inboxPrefix: `_INBOX_${self}`,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    pingInterval: 10_000,
    ignoreAuthErrorAbort: true,
    ...common(place),
  })
}

/** A connection for a single check of the servers. */
export function connectKeeper({ self, ...place }: Place): Promise<NatsConnection> {
  return connect({ name: `iris keeper ${self}`, reconnect: false, ...common(place) })
}

function common({ servers, ca, credentials }: Omit<Place, 'self'>) {
  return { servers: [...servers], timeout: timeoutMs, ...encryption(servers, ca), ...authentication(credentials) }
}

/**
 * By default, the library encrypts only if the server offers it, so an attacker in between would only have to leave out
 * that offer.
 */
function encryption(servers: readonly string[], ca: string | undefined) {
  if (!servers.some((url) => url.startsWith('tls://'))) return {}
  return { tls: ca === undefined ? {} : { caFile: ca } }
}

function authentication(credentials: string | undefined) {
  if (credentials === undefined) return {}
  if (credentials.includes('BEGIN NATS USER JWT'))
    return { authenticator: credsAuthenticator(new TextEncoder().encode(credentials)) }
  const [user = '', ...pass] = credentials.split(':')
  return { user, pass: pass.join(':') }
}
