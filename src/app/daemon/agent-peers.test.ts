import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { agentOf } from '../../kernel/call/principal.ts'
import type { ProcessStart } from '../../kernel/pool/own-processes.ts'
import { Session } from '../../kernel/session/session.ts'
import { type Peer, PeerLookup } from '../../platform/callers/peer.ts'
import { limitOf, limitTagOf } from '../../platform/machine/process-tag.ts'
import { AgentPeers } from './agent-peers.ts'

const connects = 'require("node:net").connect(Number(process.argv[1]), "127.0.0.1").on("data", () => {})'
const row = { from: 'external', to: 'alpha', thread: 'main' } as ConstructorParameters<typeof Session>[0]
const start: ProcessStart = { session: new Session(row), startId: 'one' }
const anAgent = { principal: agentOf('alpha'), team: 'alpha', parent: undefined }

async function server() {
  const listening = createServer().listen(0, '127.0.0.1')
  await once(listening, 'listening')
  onTestFinished(() => void listening.close())
  const address = listening.address()
  return { listening, port: typeof address === 'object' && address ? address.port : 0 }
}

interface Circumstances {
  /** The process is known as an agent's, by its pid. */
  readonly isAgent?: boolean
  readonly env?: object
  /** The tag from which its limit is made. */
  readonly tag?: string
  readonly daemonPid?: number
}

/** The daemon's view of the process that connects when `shell` runs; `$@` in it is a program that connects. */
async function viewOf(shell: string, { isAgent = false, env = {}, tag, daemonPid = 0 }: Circumstances = {}) {
  const { listening, port } = await server()
  const limit = tag === undefined ? [] : ['prlimit', `--locks=${limitTagOf(tag)}`, '--']
  const [file, ...args] = [...limit, 'sh', '-c', shell, 'sh', process.execPath, '-e', connects, String(port)]
  const child = spawn(file, args, {
    stdio: 'ignore',
    detached: true,
    env: { PATH: process.env['PATH'], ...env },
  })
  const [socket] = (await once(listening, 'connection')) as [Socket]
  onTestFinished(() => {
    socket.destroy()
    process.kill(-child.pid!, 'SIGKILL')
  })
  const own = new Map(isAgent ? [[child.pid!, start]] : [[1, start]])
  const view = await new AgentPeers({
    irisTag: 'here',
    own,
    daemonPid,
    newId: () => 'id',
    config: () => ({ roles: new Map() }),
  }).of(socket)
  return view.kind === 'agent' ? view.auth() : view
}

const refused = { kind: 'refused', why: expect.any(String) }
/** Forks twice, drops its environment and its session, and is adopted by the first process of the system. */
const away = '(env -i setsid "$@" &) ; sleep 60'

describe.runIf(process.platform === 'linux')('whoever calls', () => {
  test('is a person’s own process where no agent is among its ancestors', async () => {
    expect(await viewOf('"$@"; true')).toEqual({ kind: 'own' })
  })

  test('is an agent where one of this Iris is among its ancestors, whatever its environment', async () => {
    expect(await viewOf('env -i "$@"; true', { isAgent: true })).toEqual(anAgent)
  })

  test('is an agent by its tag where its ancestors have gone', async () => {
    const env = { IRIS_PROCESS: 'here.one.life' }
    expect(await viewOf('(setsid "$@" &) ; sleep 60', { env })).toEqual(anAgent)
  })

  test('is refused where the agent that left it has ended, and has nothing to do with the tags of another Iris', async () => {
    const left = { IRIS_PROCESS: 'here.two' }
    expect(await viewOf('"$@"; true', { env: left })).toEqual(refused)
    expect(await viewOf('"$@"; true', { env: { IRIS_PROCESS: 'there.one' } })).toEqual({ kind: 'own' })
  })

  test('is an agent by its limit where tag and ancestors are gone, and refused where that agent has ended', async () => {
    expect(await viewOf(away, { tag: 'here.one.life' })).toEqual(anAgent)
    expect(await viewOf(away, { tag: 'here.two' })).toEqual(refused)
    expect(await viewOf(`exec prlimit --locks=5 -- sh -c '${away}' sh "$@"`, { tag: 'here.one' })).toEqual(refused)
    expect(await viewOf(away, { tag: 'another Iris.one' })).toEqual(refused)
    expect(await viewOf(away)).toEqual({ kind: 'own' })
  })

  /** The view of a connection if successive lookups find these peers at its other end. */
  async function viewOfFound(...found: readonly Peer[]) {
    const parts = {
      irisTag: 'here',
      own: new Map([[1, start]]),
      daemonPid: 0,
      newId: () => 'id',
      config: () => ({ roles: new Map() }),
    }
    let looks = 0
    const view = await new AgentPeers(parts, { of: async () => found[looks++] }).of(new Socket())
    return { view, looks }
  }
  const ofAnother = { pid: process.ppid, file: `/proc/${process.ppid}/fd/0` }

  test('is refused where its number belongs to another process by now', async () => {
    const peer = { kind: 'process', holder: ofAnother, inode: '1' } as const
    expect(await viewOfFound(peer, peer, peer)).toEqual({ view: refused, looks: 3 })
    expect(await viewOfFound(peer, { kind: 'unseen' })).toEqual({ view: refused, looks: 2 })
  })

  test('is looked up again where a copy of it was seen that becomes another program, whatever that is', async () => {
    const { listening, port } = await server()
    const socket = connect(port, '127.0.0.1')
    await once(listening, 'connection')
    const peer = await new PeerLookup().of({
      localAddress: '127.0.0.1',
      localPort: port,
      remoteAddress: '127.0.0.1',
      remotePort: socket.localPort!,
    })
    const isolated = spawn('prlimit', ['--locks=5', '--', 'sleep', '60'], { stdio: 'ignore' })
    onTestFinished(() => {
      isolated.kill('SIGKILL')
      socket.destroy()
    })
    await expect.poll(() => limitOf(isolated.pid!)).toBe(5)
    const copy = { pid: isolated.pid!, file: `/proc/${isolated.pid}/fd/0` }
    expect(await viewOfFound({ kind: 'process', holder: copy, inode: '1' }, peer)).toEqual({
      view: { kind: 'own' },
      looks: 2,
    })
  })

  test('is refused where the daemon has no file left to look with', () => {
    const script = `
      const { AgentPeers } = await import(${JSON.stringify(new URL('agent-peers.ts', import.meta.url).href)})
      const { openSync } = await import('node:fs')
      const net = await import('node:net')
      const server = net.createServer((socket) => {
        try { for (;;) openSync('/dev/null') } catch {}
        const peers = new AgentPeers({ irisTag: 'here', own: new Map(), daemonPid: 0, newId: () => 'id', config: () => ({ roles: new Map() }) })
        peers.of(socket).then((view) => process.exit(console.log(view.kind)))
      }).listen(0, '127.0.0.1', () => net.connect(server.address().port, '127.0.0.1'))`
    const limited = ['--nofile=128:128', '--', process.execPath, '--input-type=module', '-e', script]
    const { stdout, stderr } = spawnSync('prlimit', limited, { encoding: 'utf8', env: {} })
    expect({ stdout, stderr }).toEqual({ stdout: 'refused\n', stderr: '' })
  })

  test('is refused where the daemon started it, and is no agent', async () => {
    expect(await viewOf('env -i "$@"; true', { daemonPid: process.pid })).toEqual(refused)
    expect(await viewOf('env -i "$@"; true', { daemonPid: process.pid, isAgent: true })).toEqual(anAgent)
  })

  const canIsolate = spawnSync('unshare', ['-Ur', 'true']).status === 0
  test.runIf(canIsolate)('is refused in a user namespace of its own, unless its limit says whose it is', async () => {
    const inside = `exec unshare -Ur sh -c 'exec unshare -U sh -c "$0" sh "$@"' '${away}' "$@"`
    expect(await viewOf(inside)).toEqual(refused)
    expect(await viewOf(inside, { tag: 'here.one' })).toEqual(anAgent)
    expect(await viewOf('exec unshare -Ur "$@"', { env: { IRIS_PROCESS: 'here.one' } })).toEqual(anAgent)
  })
})
