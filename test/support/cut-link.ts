import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A way to a port of this machine that can be cut: nothing comes through any more, and no connection is closed. */
export class CutLink implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #isCut = false

  static async to(port: number): Promise<CutLink> {
    const link = new CutLink(port)
    link.#server.listen(0, '127.0.0.1')
    await once(link.#server, 'listening')
    return link
  }

  private constructor(port: number) {
    this.#server = createServer((near) => {
      this.#keep(near)
      if (this.#isCut) {
        near.pause()
        return
      }
      const far = this.#keep(connect(port, '127.0.0.1'))
      near.pipe(far)
      far.pipe(near)
      near.on('close', () => far.destroy())
      far.on('close', () => near.destroy())
    })
  }

  get url(): string {
    const address = this.#server.address()
    return `nats://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  }

  /** Both sides keep running but cannot reach each other. */
  cut(): void {
    this.#isCut = true
    for (const socket of this.#sockets) {
      socket.unpipe()
      socket.pause()
    }
  }

  /** Data in transit is lost; new connections work. */
  heal(): void {
    this.#isCut = false
    for (const socket of this.#sockets) socket.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.heal()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
    return socket
  }
}
