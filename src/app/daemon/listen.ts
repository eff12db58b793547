import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createAdaptorServer, type serve, type WebSocketServerLike } from '@hono/node-server'
import { WebSocketServer } from 'ws'
import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { Crowd, type CrowdBounds, type CrowdParts } from '../../platform/callers/crowd.ts'
import { usualPort } from '../../platform/config/schema.ts'
import { closedInLog } from './connection-bounds.ts'

const lastWordsMs = 200
/**
 * How long a connection stays open beyond the five idle seconds that Iris announces to clients. Clients rely on the
 * five seconds, but a busy daemon could process its own timer before a request that arrived in time, and cut off that
 * request.
 */
const restBeyondToldMs = 30_000
/** How many connections may wait to be accepted, as far as the system allows. */
const backlog = 4096
/** Longest message of a WebSocket's client, in bytes; readers need to send nothing. */
const maxMessage = 1024

/**
 * Within these times a request's headers and the whole request must arrive, milliseconds. A busy daemon may read a
 * request late, so they are longer than such a delay.
 */
const patience = { headersTimeout: 20_000, requestTimeout: 60_000, connectionsCheckingInterval: 5000 }

/** Something that answers requests. */
interface Served {
  readonly fetch: Parameters<typeof serve>[0]['fetch']
}

interface ServerParts {
  readonly clock: Clock
  readonly log: Log
  readonly bounds: CrowdBounds
}

export interface ListenParts extends ServerParts {
  /** Who is at the other end of a connection. */
  readonly whoOf: CrowdParts<Socket>['whoOf']
  /** Default: `patience`. */
  readonly timeouts?: Partial<typeof patience>
}

export interface Listening {
  readonly port: number
  close(): Promise<void>
}

/** Serves the app at Unix sockets, one for each key. */
export class UnixListeners {
  readonly #appOf: (key: string) => Served
  readonly #clock: Clock
  readonly #servers = new Map<string, Promise<Server>>()
  readonly #keys = new WeakMap<Socket, string>()
  readonly #crowd: Crowd<Socket>

  constructor(appOf: (key: string) => Served, { clock, log, bounds }: ServerParts) {
    this.#appOf = appOf
    this.#clock = clock
    const whoOf = async (socket: Socket): Promise<string> => `machine ${this.#keys.get(socket)}`
    this.#crowd = new Crowd({ bounds, whoOf, onClosed: closedInLog(log, clock) })
  }

  readonly serve = async (path: string, key: string): Promise<void> => {
    const known = this.#servers.get(path) ?? this.#listenAt(path, key)
    this.#servers.set(path, known)
    try {
      await known
    } catch (error) {
      this.#servers.delete(path)
      throw error
    }
  }

  async close(): Promise<void> {
    const servers = await Promise.all(this.#servers.values())
    await Promise.all(servers.map((server) => closeServer(server, undefined, this.#clock)))
  }

  #listenAt(path: string, key: string): Promise<Server> {
    const { fetch } = this.#appOf(key)
    return new Promise((resolve, reject) => {
      const serverOptions = { ...patience, keepAliveTimeoutBuffer: restBeyondToldMs }
      const server = createAdaptorServer({ fetch, createServer, serverOptions }) as Server
      server.on('connection', (socket) => this.#keys.set(socket, key))
      bound(server, this.#crowd)
      server.listen({ path, backlog }, () => resolve(server))
      server.once('error', reject)
    })
  }
}

/** Keeps the connections of a server within the bounds of the crowd. */
function bound(server: Server, crowd: Crowd<Socket>): void {
  server.on('connection', (socket) => {
    if (crowd.add(socket)) socket.once('close', () => crowd.remove(socket))
  })
  server.on('request', ({ socket }, response) => {
    crowd.begins(socket)
    response.once('close', () => crowd.ends(socket))
  })
}

/** Ports tried after the usual one, in order, so that a second home gets the same port at each start. */
const triedPorts = 10

/**
 * Serves the app on the loopback interface only. When another program has the usual port, the next free one is taken.
 * Throws `port_taken` if any other port is wanted and taken.
 */
export async function listen(app: Served, wanted: number, parts: ListenParts): Promise<Listening> {
  const others =
    wanted === usualPort ? [...Array.from({ length: triedPorts }, (_, index) => wanted + index + 1), 0] : []
  let taken: unknown
  for (const port of [wanted, ...others]) {
    try {
      const listening = await listenOn(app, port, parts)
      if (taken) parts.log.warn(`another program has port ${wanted}, so Iris took ${listening.port}`)
      return listening
    } catch (error) {
      if (!(error instanceof IrisError) || error.code !== 'port_taken') throw error
      taken ??= error
    }
  }
  throw taken
}

function listenOn(app: Served, port: number, { clock, log, bounds, whoOf, timeouts }: ListenParts): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const sockets = new WebSocketServer({ noServer: true, maxPayload: maxMessage })
    const server = createAdaptorServer({
      fetch: (request, env) => {
        const answer = app.fetch(request, env)
        return isWebSocket(env.incoming as IncomingMessage) ? ofHandshake(answer) : answer
      },
      createServer,
      websocket: { server: sockets as WebSocketServerLike },
      // If a client offers another upgrade (such as HTTP/2), the offer is ignored and the request is answered as usual.
      serverOptions: {
        ...patience,
        ...timeouts,
        shouldUpgradeCallback: isWebSocket,
        keepAliveTimeoutBuffer: restBeyondToldMs,
      },
    }) as Server
    const crowd = new Crowd({ bounds, whoOf, onClosed: closedInLog(log, clock) })
    bound(server, crowd)
    // Not on the server's own `upgrade` event: if that has a second listener, the library does not answer refused
    // upgrades.
    sockets.on('connection', (_socket, request) => crowd.begins(request.socket))
    server.listen({ port, host: '127.0.0.1', backlog }, () => {
      const address = server.address() as AddressInfo
      resolve({ port: address.port, close: () => closeServer(server, sockets, clock) })
    })
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') return reject(error)
      reject(
        new IrisError(
          'port_taken',
          `Another program is using port ${port} on this machine.`,
          'Stop that program, or set settings.httpPort in config.yaml to another port (0 for any free one).',
        ),
      )
    })
  })
}

function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

/**
 * The library answers a handshake without a body, so a success at an address without WebSockets becomes a 400. An
 * address that accepts the handshake is not affected, because the library then ignores the status.
 */
async function ofHandshake(answer: unknown): Promise<Response> {
  const { ok, status, headers } = (await answer) as Response
  return new Response(null, { status: ok ? 400 : status, headers })
}

/** Gives clients a moment to read the last answers, then cuts open streams. */
function closeServer(server: Server, sockets: WebSocketServer | undefined, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancelTimer = clock.after(lastWordsMs, () => {
      server.closeAllConnections()
      for (const socket of sockets?.clients ?? []) socket.terminate()
    })
    server.close(() => {
      cancelTimer()
      resolve()
    })
    server.closeIdleConnections()
    for (const socket of sockets?.clients ?? []) socket.close(1001)
  })
}
