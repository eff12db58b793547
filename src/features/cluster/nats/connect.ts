import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node'

export interface Place {
  readonly servers: readonly string[]
  /** The name of this host. */
  readonly self: string
  /** The text of a `.creds` file, or `user:password`; absent: none is asked for. */
  readonly credentials?: string | undefined
  /** The file with the certificate that signed those of the servers, PEM; absent: the authorities that Node knows. */
  readonly ca?: string | undefined
}

const timeoutMs = 5000

/** The connection of this host, which comes back after each break. */
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

/** The library encrypts only if the server offers it, so an attacker in between would only have to offer nothing. */
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
