import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { lineageOf, peerOf } from './peer.ts'

const connects = 'require("node:net").connect(Number(process.argv[1]), "127.0.0.1").on("data", () => {})'

/** A server, and what was connected to it by `command`. */
async function connectedBy(command: (port: number) => readonly [string, readonly string[]]) {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const [file, args] = command(typeof address === 'object' && address ? address.port : 0)
  const child = spawn(file, args, { stdio: 'ignore' })
  const [socket] = (await once(server, 'connection')) as [Socket]
  onTestFinished(() => {
    child.kill('SIGKILL')
    socket.destroy()
    server.close()
  })
  return { child, socket }
}

describe.runIf(process.platform === 'linux')('the process at the other end of a connection', () => {
  test('is found, with all its ancestors up to this process', async () => {
    const direct = await connectedBy((port) => [process.execPath, ['-e', connects, String(port)]])
    expect(await peerOf(direct.socket)).toEqual({ kind: 'process', pid: direct.child.pid })
    expect(await lineageOf(direct.child.pid!)).toEqual([direct.child.pid])
    const shell = ['-c', '"$0" -e "$1" "$2"; true', process.execPath, connects]
    const inner = await connectedBy((port) => ['sh', [...shell, String(port)]])
    const peer = await peerOf(inner.socket)
    expect(peer?.kind === 'process' && (await lineageOf(peer.pid))).toEqual([expect.any(Number), inner.child.pid])
  })

  test('may be this one', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const client = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1')
    const [socket] = (await once(server, 'connection')) as [Socket]
    expect(await peerOf(socket)).toEqual({ kind: 'process', pid: process.pid })
    expect(await lineageOf(process.pid)).toEqual([])
    client.destroy()
    socket.destroy()
    server.close()
  })

  test('that has hung up is one that is not seen', async () => {
    const { child, socket } = await connectedBy((port) => [process.execPath, ['-e', connects, String(port)]])
    const { localPort, remotePort } = socket
    child.kill('SIGKILL')
    socket.resume()
    await once(socket, 'close')
    expect(await peerOf({ localPort: localPort!, remotePort: remotePort! })).toEqual({ kind: 'unseen' })
  })
})
