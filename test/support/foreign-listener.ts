import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'

/** An address that is none of Iris's: it notes all that it is sent before any answer, and refuses every login. */
export interface ForeignListener extends AsyncDisposable {
  readonly url: string
  /** The same at a Unix socket. */
  readonly socket: string
  /** Each request with all its headers, also one to a proxy. */
  readonly seen: readonly string[]
}

export async function startForeignListener(socket: string): Promise<ForeignListener> {
  const seen: string[] = []
  const note = ({ method, url, rawHeaders }: IncomingMessage): void => {
    seen.push(`${method} ${url} ${rawHeaders.join(' ')}`)
  }
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    note(request)
    request.resume()
    const error = { type: 'authentication_error', message: 'nobody is known here' }
    response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ type: 'error', error }))
  }
  const servers = [createServer(answer), createServer(answer)] as const
  for (const server of servers)
    server.on('connect', (request: IncomingMessage, connection) => {
      note(request)
      connection.destroy()
    })
  await Promise.all([listening(servers[0], { port: 0, host: '127.0.0.1' }), listening(servers[1], { path: socket })])
  const { port } = servers[0].address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    socket,
    seen,
    async [Symbol.asyncDispose]() {
      for (const server of servers) server.closeAllConnections()
      await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))))
    },
  }
}

function listening(server: Server, at: object): Promise<void> {
  return new Promise((resolve, reject) => server.once('error', reject).listen(at, resolve))
}
