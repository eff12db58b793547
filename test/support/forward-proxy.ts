import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'

/**
 * A double of a company's forward proxy, over real sockets. It tunnels (CONNECT) to the names that the test gives it, and
 * resolves these itself: nobody else can reach them. Without the right password it answers with 407. It remembers
 * everything that it could read.
 */
export class ForwardProxy implements AsyncDisposable {
  readonly user = 'iris'
  password = 'the password of the proxy'
  /** The target of each request that it let through, as `host:port`. */
  readonly tunnels: string[] = []
  /** Requests that it refused, as `<status> <method> <target>`. */
  readonly refused: string[] = []
  /** All that came in: request lines, headers, and bytes inside of tunnels. */
  readonly seen: string[] = []
  readonly #ports: Map<string, number>
  readonly #tunnels = new Set<Duplex>()
  readonly #server: Server = createServer((request, response) => {
    // Requests without a tunnel, from a client that sends them in plain text.
    this.#note(request.method, request.url, request.headers)
    this.refused.push(`405 ${request.method} ${request.url}`)
    response.writeHead(405).end()
  })

  /** `targets`: ports on this machine by the names under which the world knows them, as `host:port`. */
  static async start(targets: Readonly<Record<string, number>>): Promise<ForwardProxy> {
    const proxy = new ForwardProxy(targets)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  private constructor(targets: Readonly<Record<string, number>>) {
    this.#ports = new Map(Object.entries(targets))
    this.#server.on('connect', ({ url = '', headers }, socket, head: Buffer) => {
      this.#note('CONNECT', url, headers)
      socket.on('error', () => {})
      this.#tunnels.add(socket)
      const refuse = (status: string, more = ''): void => {
        this.refused.push(`${status.slice(0, 3)} CONNECT ${url}`)
        socket.end(`HTTP/1.1 ${status}\r\n${more}content-length: 0\r\n\r\n`)
      }
      if (headers['proxy-authorization'] !== this.#authorization)
        return refuse('407 Proxy Authentication Required', 'proxy-authenticate: Basic realm="company"\r\n')
      const port = this.#ports.get(url)
      if (port === undefined) return refuse('403 Forbidden')
      const target = connect(port, '127.0.0.1', () => {
        this.tunnels.push(url)
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
        target.write(head)
        socket.pipe(target).pipe(socket)
      })
      socket.on('data', (part: Buffer) => this.seen.push(part.toString('latin1')))
      target.on('error', () => socket.destroy())
      socket.on('close', () => {
        this.#tunnels.delete(socket)
        target.destroy()
      })
    })
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get #authorization(): string {
    return `Basic ${Buffer.from(`${this.user}:${this.password}`).toString('base64')}`
  }

  #note(method: string | undefined, target: string | undefined, headers: IncomingHttpHeaders): void {
    this.seen.push(`${method} ${target} ${JSON.stringify(headers)}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const tunnel of this.#tunnels) tunnel.destroy()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
