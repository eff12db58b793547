import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { LineConnection } from '../../src/adapters/client/line-connection.ts'
import { toolCall, toolResult } from '../../src/adapters/client/tool-call.ts'
import { connectionBounds } from '../../src/app/daemon/connection-bounds.ts'
import { listen } from '../../src/app/daemon/listen.ts'
import { systemClock } from '../../src/base/lib/clock.ts'
import { ask } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { plainHttp } from '../support/plain-http.ts'
import { createWorld } from '../support/world.ts'

const maxFiles = 512
const allowing = ['sh', '-c', `ulimit -n ${maxFiles}; exec "$@"`, 'sh']

/** Opens so many connections to `at`, says `words` over each, and stays; `attempts` resolves once all were tried. */
const crowd = `const [, count, words, ...at] = process.argv
const { connect } = require('node:net')
let tried = 0
for (let each = 0; each < Number(count); each += 1) {
  const socket = connect(at.length > 1 ? { host: at[0], port: Number(at[1]) } : { path: at[0] })
  const done = () => { tried += 1; if (tried === Number(count)) console.log('all tried') }
  socket.once('connect', () => { socket.write(words); done() }).once('error', () => socket.connecting && done()).on('error', () => {})
}
setInterval(() => {}, 60000)`

async function startCrowd(count: number, words: string, ...at: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, ['-e', crowd, String(count), words, ...at], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
}

test('a process with thousands of half-sent requests keeps nobody out, and loses its own connections', async () => {
  await using world = await createWorld({ claude: 'fake', teams: ['backend'], settings: { logLevel: 'warn' } })
  await using daemon = await DaemonProcess.start(world, 'none', '', allowing)
  const words = 'POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\n'
  await startCrowd(800, words, '127.0.0.1', String(daemon.port))
  expect(await plainHttp(daemon.port, 'GET', '/health', {})).toMatchObject({ status: 200 })
  expect(await ask(daemon, 'backend', 'hello')).toMatchObject({ response: 'You said: hello' })
  await eventually(() => daemon.log.includes('has too many connections open'), 'the crowd is in the log')
  expect(daemon.log).toMatch(/process \d+ has too many connections open, so Iris closed some of them/)
  expect(daemon.log).not.toContain('EMFILE')
})

test('programs that never say who they are keep the home socket open for others', async () => {
  await using world = await createWorld({ claude: 'fake', teams: ['backend'] })
  await using daemon = await DaemonProcess.start(world, 'none', '', allowing)
  const path = join(world.home, 'daemon.sock')
  const open = () => LineConnection.open({ path, token: daemon.token })
  const early = await eventually(open, 'the home socket is there')
  await startCrowd(1200, '{', path)
  expect(readdirSync(`/proc/${daemon.pid}/fd`).length).toBeLessThan(maxFiles / 2)
  const late = await eventually(open, 'one more is let in')
  for (const lines of [early, late]) {
    const answer = await lines.request(toolCall(1, 'get_date', {}), new AbortController().signal)
    expect(toolResult('get_date', answer)).toHaveProperty('timestamp')
    lines.close()
  }
})

test('a head that does not come, and a body that does not, end their connection', async () => {
  const server = await listen({ fetch: async (request) => new Response(await request.text()) }, 0, {
    clock: systemClock,
    log: { warn: () => {} } as never,
    whoOf: async () => 'one',
    bounds: connectionBounds(maxFiles).http,
    timeouts: { headersTimeout: 50, requestTimeout: 100, connectionsCheckingInterval: 20 },
  })
  onTestFinished(() => server.close())
  const saidTo = async (words: string): Promise<string> => {
    const socket: Socket = connect(server.port, '127.0.0.1').setEncoding('utf8')
    let said = ''
    socket.on('data', (text: string) => (said += text)).write(words)
    await once(socket, 'close')
    return said
  }
  expect(await saidTo('GET / HTTP/1.1\r\nhost: x\r\n')).toContain(' 408 Request Timeout')
  await saidTo('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf')
})

test('the bounds leave a fifth of the files to the daemon itself', () => {
  for (const files of [128, 512, 1024, 20_000, Number.POSITIVE_INFINITY]) {
    const bounds = Object.values(connectionBounds(files))
    const most = bounds.reduce((sum, { most }) => sum + most * 1.25, 0)
    expect(most).toBeLessThanOrEqual(Math.min(8000, files * 0.8))
    expect(bounds.every(({ mostOfOne }) => mostOfOne > 4)).toBe(true)
  }
})
