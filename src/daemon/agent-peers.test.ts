import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ProcessStart } from '../pool/launch.ts'
import { Session } from '../session/session.ts'
import { AgentPeers } from './agent-peers.ts'

const connects = 'require("node:net").connect(Number(process.argv[1]), "127.0.0.1").on("data", () => {})'
const row = { from: 'external', to: 'alpha', thread: 'main' } as ConstructorParameters<typeof Session>[0]
const start: ProcessStart = { session: new Session(row), startId: 'one' }
const anAgent = { kind: 'agent', party: 'alpha', parent: undefined }

async function server() {
  const listening = createServer().listen(0, '127.0.0.1')
  await once(listening, 'listening')
  onTestFinished(() => void listening.close())
  const address = listening.address()
  return { listening, port: typeof address === 'object' && address ? address.port : 0 }
}

/** What is thought of whoever connects when `shell` runs; `$@` in it is a program that connects. */
async function viewOf(shell: string, { isAgent = false, env = {} }: { isAgent?: boolean; env?: object } = {}) {
  const { listening, port } = await server()
  const child = spawn('sh', ['-c', shell, 'sh', process.execPath, '-e', connects, String(port)], {
    ...{ stdio: 'ignore', detached: true, env: { PATH: process.env['PATH'], ...env } },
  })
  const [socket] = (await once(listening, 'connection')) as [Socket]
  onTestFinished(() => {
    socket.destroy()
    process.kill(-child.pid!, 'SIGKILL')
  })
  const own = new Map(isAgent ? [[child.pid!, start]] : [[1, start]])
  const view = await new AgentPeers({ marker: 'here', own, newId: () => 'id' }).of(socket)
  return view.kind === 'agent' ? view.caller() : view
}

describe.runIf(process.platform === 'linux')('whoever calls', () => {
  test('is a person’s own process where no agent is among its ancestors', async () => {
    expect(await viewOf('"$@"; true')).toEqual({ kind: 'own' })
  })

  test('is an agent where one of this Iris is among its ancestors, whatever its environment', async () => {
    expect(await viewOf('env -i "$@"; true', { isAgent: true })).toEqual(anAgent)
  })

  test('is an agent by its mark where its ancestors have gone', async () => {
    const env = { IRIS_PROCESS: 'here.one' }
    expect(await viewOf('(setsid "$@" &) ; sleep 60', { env })).toEqual(anAgent)
  })

  test('is refused where the agent that left it has ended, and has nothing to do with the marks of another Iris', async () => {
    const left = { IRIS_PROCESS: 'here.two' }
    expect(await viewOf('"$@"; true', { env: left })).toEqual({ kind: 'refused', why: expect.any(String) })
    expect(await viewOf('"$@"; true', { env: { IRIS_PROCESS: 'there.one' } })).toEqual({ kind: 'own' })
  })

  const canIsolate = spawnSync('unshare', ['-Ur', 'true']).status === 0
  test.runIf(canIsolate)('is an agent by its namespaces where mark and ancestors are gone', async () => {
    const lost = 'exec unshare -Ur sh -c \'(env -i setsid "$@" &) ; sleep 60\' sh "$@"'
    expect(await viewOf(lost, { env: { IRIS_PROCESS: 'here.one' } })).toEqual(anAgent)
    expect(await viewOf(lost)).toEqual({ kind: 'foreign', why: expect.any(String) })
  })
})
