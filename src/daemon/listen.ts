import { type ServerType, serve } from '@hono/node-server'
import type { Clock } from '../lib/clock.ts'
import { IrisError } from '../protocol/error.ts'

const lastWordsMs = 200

/** Something that answers requests. */
interface Served {
  readonly fetch: Parameters<typeof serve>[0]['fetch']
}

export interface Listening {
  readonly port: number
  close(): Promise<void>
}

/** Serves the app on the loopback interface only. Throws `port_taken`. */
export function listen(app: Served, port: number, clock: Clock): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const server: ServerType = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, (address) => {
      resolve({ port: address.port, close: () => closeServer(server, clock) })
    })
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') return reject(error)
      reject(
        new IrisError(
          'port_taken',
          `Port ${port} of this machine is taken by another program.`,
          'End that program, or set settings.httpPort in config.yaml to another port (0: any free one).',
        ),
      )
    })
  })
}

/** What is being answered gets a moment to be read; open streams are then cut. */
function closeServer(server: ServerType, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const takeBack = clock.after(lastWordsMs, () => {
      if ('closeAllConnections' in server) server.closeAllConnections()
    })
    server.close(() => {
      takeBack()
      resolve()
    })
    if ('closeIdleConnections' in server) server.closeIdleConnections()
  })
}
