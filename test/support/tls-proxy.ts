import { once } from 'node:events'
import { request } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { selfSigned } from './self-signed.ts'

/** A TLS proxy as a person would put in front of Iris: keeps the Host, says for whom it asks, passes sockets on. */
export async function tlsProxy(
  host: string,
  target: number,
): Promise<{ readonly port: number; readonly cert: string } & AsyncDisposable> {
  const certified = selfSigned(host)
  const server = createServer(certified, (incoming, outgoing) => {
    const headers = { ...incoming.headers, 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'https' }
    const asked = request({ port: target, method: incoming.method, path: incoming.url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    asked.on('error', () => outgoing.destroy())
    incoming.pipe(asked)
  })
  server.on('upgrade', (incoming, socket, head) => {
    const behind = connect(target, '127.0.0.1', () => {
      const headers = incoming.rawHeaders.reduce(
        (lines, text, index) => lines + (index % 2 === 0 ? `${text}: ` : `${text}\r\n`),
        '',
      )
      behind.write(`GET ${incoming.url} HTTP/1.1\r\n${headers}\r\n`)
      behind.write(head)
      behind.pipe(socket).pipe(behind)
    })
    const end = (): void => {
      behind.destroy()
      socket.destroy()
    }
    behind.on('error', end)
    socket.on('error', end)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cert: certified.cert,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
