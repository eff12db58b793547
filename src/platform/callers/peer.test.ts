import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { lineageOf } from './lineage.ts'
import { PeerLookup } from './peer.ts'
import { otherEndsIn } from './socket-table.ts'

const connects = `
  const [port, host, localAddress, localPort] = process.argv.slice(1)
  const from = localAddress && { localAddress, localPort: Number(localPort) }
  require('node:net').connect({ port: Number(port), host, ...from }).on('data', () => {}).on('error', () => {})`

async function listening(host = '127.0.0.1') {
  const server = createServer({ pauseOnConnect: true }).listen(0, host)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { server, port: (server.address() as AddressInfo).port }
}

/** A server, and the connection that `command` made to it. */
async function connectedBy(command: (port: number) => readonly [string, readonly string[]], host?: string) {
  const { server, port } = await listening(host)
  const [file, args] = command(port)
  const child = spawn(file, args, { stdio: 'ignore' })
  const [socket] = (await once(server, 'connection')) as [Socket]
  onTestFinished(() => {
    child.kill('SIGKILL')
    socket.destroy()
  })
  return { child, socket }
}

const node = (...args: readonly (string | number)[]): readonly [string, readonly string[]] => [
  process.execPath,
  ['-e', connects, ...args.map(String)],
]

const heldBy = ({ pid }: { readonly pid?: number | undefined }) => ({ kind: 'process', holder: { pid } })

const peerOf = (socket: Socket) => new PeerLookup().of(socket)

describe.runIf(process.platform === 'linux')('the process at the other end of a connection', () => {
  test.each([0, 4242])('is not seen once it has ended, whatever user the kernel names (%i)', async (uid) => {
    const { socket } = await connectedBy((port) => node(port, '127.0.0.1'))
    const lookup = new PeerLookup(async (_file, connections) => connections.map(() => ({ uid, inode: '0' })))
    expect(await lookup.of(socket)).toEqual({ kind: 'unseen' })
  })

  test('is found, with all its ancestors up to this process', async () => {
    const direct = await connectedBy((port) => node(port, '127.0.0.1'))
    expect(await peerOf(direct.socket)).toMatchObject(heldBy(direct.child))
    expect(await lineageOf(direct.child.pid!)).toEqual([direct.child.pid, process.pid])
    const shell = ['-c', '"$0" -e "$1" "$2" 127.0.0.1; true', process.execPath, connects]
    const inner = await connectedBy((port) => ['sh', [...shell, String(port)]])
    const peer = await peerOf(inner.socket)
    const lineage = peer?.kind === 'process' ? await lineageOf(peer.holder.pid) : []
    expect(lineage).toEqual([expect.any(Number), inner.child.pid, process.pid])
  })

  test('may be this one', async () => {
    const { server, port } = await listening()
    const client = connect(port, '127.0.0.1')
    const [socket] = (await once(server, 'connection')) as [Socket]
    expect(await peerOf(socket)).toMatchObject(heldBy(process))
    client.destroy()
    socket.destroy()
  })

  test.each(['127.0.0.2', '127.255.255.254', '127.0.1.1'])(
    'is never the server itself, also not where it calls from %s and from the number of the server’s own port',
    async (from) => {
      const { child, socket } = await connectedBy((port) => node(port, '127.0.0.1', from, port))
      expect(socket.remotePort).toBe(socket.localPort)
      for (let look = 0; look < 5; look += 1) {
        expect(await peerOf(socket)).toMatchObject(heldBy(child))
      }
    },
  )

  test('is told from another one that calls from the same port of another address', async () => {
    const { server, port } = await listening()
    const first = spawn(...node(port, '127.0.0.1', '127.0.0.2', 40_404), { stdio: 'ignore' })
    const [one] = (await once(server, 'connection')) as [Socket]
    const second = spawn(...node(port, '127.0.0.1', '127.0.0.3', 40_404), { stdio: 'ignore' })
    const [other] = (await once(server, 'connection')) as [Socket]
    onTestFinished(() => {
      for (const child of [first, second]) child.kill('SIGKILL')
      for (const socket of [one, other]) socket.destroy()
    })
    expect(await peerOf(one)).toMatchObject(heldBy(first))
    expect(await peerOf(other)).toMatchObject(heldBy(second))
  })

  test.each([
    ['an IPv6 socket that calls an IPv4 address', '127.0.0.1', '::ffff:127.0.0.1'],
    ['IPv6', '::1', '::1'],
    ['IPv4, where the server listens to both', '::', '127.0.0.1'],
  ])('is found over %s', async (_how, host, address) => {
    const { child, socket } = await connectedBy((port) => node(port, address), host)
    expect(await peerOf(socket)).toMatchObject(heldBy(child))
  })

  test('that has hung up is one that is not seen, also where its port belongs to another process by now', async () => {
    const { server, port } = await listening()
    const first = spawn(...node(port, '127.0.0.1', '127.0.0.2', 40_405), { stdio: 'ignore' })
    const [socket] = (await once(server, 'connection')) as [Socket]
    const ends = { localAddress: '127.0.0.1', localPort: port, remoteAddress: '127.0.0.2', remotePort: 40_405 }
    expect(await new PeerLookup().of(ends)).toMatchObject(heldBy(first))
    first.kill('SIGKILL')
    await once(first, 'close')
    expect(await new PeerLookup().of(ends)).toEqual({ kind: 'unseen' })
    socket.resetAndDestroy()
    const heir = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2', localPort: 40_405 })
    const [next] = (await once(server, 'connection')) as [Socket]
    expect(await peerOf(next)).toMatchObject(heldBy(process))
    expect(await new PeerLookup().of({ ...ends, destroyed: socket.destroyed })).toEqual({ kind: 'unseen' })
    heir.destroy()
    next.destroy()
  })

  test('is found for many at once by a few looks at the system', async () => {
    const { server, port } = await listening()
    const accepted: Socket[] = []
    server.on('connection', (socket) => accepted.push(socket))
    const clients = Array.from({ length: 200 }, () => connect(port, '127.0.0.1'))
    await Promise.all(clients.map((client) => once(client, 'connect')))
    await expect.poll(() => accepted.length).toBe(clients.length)
    let readings = 0
    const lookup = new PeerLookup((file, connections) => {
      readings += 1
      return otherEndsIn(file, connections)
    })
    const peers = await Promise.all(accepted.map((socket) => lookup.of(socket)))
    expect(peers.every((peer) => peer?.kind === 'process' && peer.holder.pid === process.pid)).toBe(true)
    expect(readings).toBeLessThan(10)
    for (const socket of [...clients, ...accepted]) socket.destroy()
  })
})
