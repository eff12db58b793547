import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { type Clock, pause } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { daemonWelcome, fitsSocket, helloIn } from '../../base/protocol/daemon.ts'
import { Crowd, type CrowdBounds } from '../../platform/callers/crowd.ts'
import { closedInLog } from './connection-bounds.ts'

/** Serves a connection once its program is authenticated. */
export interface Lines {
  push(chunk: Buffer): void
}

export interface HomeSocketParts {
  readonly path: string
  readonly clock: Clock
  readonly log: Log
  readonly bounds: CrowdBounds
}

/** Serves the connection that sent this hello; undefined when the connection is refused. */
export type LetIn = (hello: NonNullable<ReturnType<typeof helloIn>>, socket: Socket) => Lines | undefined

/** Limits of a hello: bytes, and the time until it has arrived. */
const maxHello = 8192
const helloMs = 5000
/** How many connections may wait to be accepted, as far as the system allows. */
const backlog = 4096
/** Time that clients get to read the last answers. */
const lastWordsMs = 200

/**
 * The Unix socket in Iris's home, for programs of the person. Processes are not looked up: whoever reaches the socket
 * can see the home. It exists only as long as no agent of this daemon can see the home, and it never gives the owner's
 * rights.
 */
export class HomeSocket {
  readonly #parts: HomeSocketParts
  readonly #connections = new Set<Socket>()
  readonly #crowd: Crowd<Socket>
  #server: Server | undefined
  #exposed = false

  constructor(parts: HomeSocketParts) {
    this.#parts = parts
    const { bounds, clock, log } = parts
    const whoOf = async (): Promise<string> => 'The home socket'
    this.#crowd = new Crowd({ bounds, whoOf, onClosed: closedInLog(log, clock) })
  }

  /** Creates the socket, unless an agent was started that sees the home. */
  open(letIn: LetIn): void {
    const { path, log } = this.#parts
    // A daemon that was killed leaves its socket; this one holds the lock of the home.
    if (!isRemoved(path)) return log.warn(`there is no socket in the home: ${path} is in the way: move it`)
    if (this.#exposed || !fitsSocket(path)) return
    const server = createServer((socket) => this.#accept(socket, letIn))
    server.on('error', (error) => log.warn(`there is no socket in the home: ${error.message}`))
    server.listen({ path, backlog })
    if (!server.listening) return
    // The umask of the daemon keeps others out from the first moment.
    chmodSync(path, 0o600)
    this.#server = server
  }

  /**
   * Called before an agent starts that sees the home. From then on the socket accepts no connections until the next
   * daemon starts, because nobody knows which processes such an agent leaves behind. Existing connections stay, because
   * they are older than the agent.
   */
  expose(): void {
    if (this.#exposed) return
    this.#exposed = true
    this.#server?.close()
    this.#parts.log.debug('an agent can now see the home, so programs call over HTTP')
  }

  /** Cuts off calls that wait; a bridge repeats them to the next daemon. */
  async close(): Promise<void> {
    this.#server?.close()
    for (const socket of this.#connections) socket.end()
    if (this.#connections.size > 0) await pause(this.#parts.clock, lastWordsMs)
    for (const socket of this.#connections) socket.destroy()
  }

  #accept(socket: Socket, letIn: LetIn): void {
    if (!this.#crowd.add(socket)) return
    this.#connections.add(socket)
    socket
      .on('error', () => {})
      .on('close', () => {
        this.#connections.delete(socket)
        this.#crowd.remove(socket)
      })
    const patience = this.#parts.clock.after(helloMs, () => socket.destroy())
    let lines: Lines | undefined
    let heard = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      if (lines) return lines.push(chunk)
      heard = Buffer.concat([heard, chunk])
      const end = heard.indexOf('\n')
      if (end < 0 && heard.length <= maxHello) return
      patience()
      const hello = helloIn(heard.toString('utf8', 0, Math.max(0, end)))
      lines = hello && letIn(hello, socket)
      if (lines === undefined) return socket.destroy()
      // If connections have to be closed, those of programs that have identified themselves are kept longest.
      this.#crowd.begins(socket)
      socket.write(daemonWelcome)
      lines.push(heard.subarray(end + 1))
    })
  }
}

/** False for what cannot be removed, such as a directory: programs then call over HTTP. */
function isRemoved(path: string): boolean {
  try {
    rmSync(path, { force: true })
    return true
  } catch {
    return false
  }
}
