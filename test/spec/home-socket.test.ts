import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import type { JsonRpcRequest } from '../../src/adapters/client/json-rpc.ts'
import { LineConnection } from '../../src/adapters/client/line-connection.ts'
import { toolCall, toolResult } from '../../src/adapters/client/tool-call.ts'
import type { LogEntry } from '../../src/base/lib/recent-log.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { fakeClaude } from '../support/fake-claude.ts'
import { TestIris } from '../support/iris.ts'
import { eras, mcpClient } from '../support/mcp-clients.ts'
import { obedient } from '../support/obedient.ts'
import { Installation } from '../support/program.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { createWorld, type World } from '../support/world.ts'

const slow = 60_000
/** Once what an earlier daemon left has gone: before, there is no socket. */
async function started(options: Parameters<typeof TestIris.start>[0] = {}): Promise<TestIris> {
  const iris = await TestIris.start(options)
  await iris.daemon.recovered
  return iris
}

const never = new AbortController().signal
const socketOf = ({ home }: World) => join(home, 'daemon.sock')
const open = (world: World, more: object = {}) =>
  LineConnection.open({ path: socketOf(world), token: world.token(), ...more })

async function date(lines: LineConnection | undefined): Promise<number> {
  return toolResult('get_date', await lines!.request(toolCall(1, 'get_date', {}), never)).unix
}

/** How many programs are connected, as the kernel knows: each accepted connection has the name of the socket. */
function connectionsTo(world: World): number {
  const rows = readFileSync('/proc/net/unix', 'latin1')
    .split('\n')
    .filter((row) => row.endsWith(` ${socketOf(world)}`))
  return rows.filter((row) => row.split(' ')[5] === '03').length
}

/** The daemon's response to these lines before it hangs up, if it does so within the time of a call. */
async function saidTo(world: World, ...lines: readonly string[]): Promise<string> {
  const socket = connect(socketOf(world))
  socket.on('error', () => {}).end(lines.map((line) => `${line}\n`).join(''))
  return text(socket)
}

describe('the socket in the home of Iris', () => {
  test('serves programs, of the team whose directory they name, and is for its owner alone', async () => {
    await using iris = await started()
    expect(statSync(socketOf(iris.world)).mode & 0o777).toBe(0o600)
    const lines = await open(iris.world, { directory: iris.world.directory('frontend') })
    expect(await date(lines)).toEqual(expect.any(Number))
    const spoof = toolCall(2, 'send_message', { toTeam: 'backend', message: 'x', fromTeam: 'mobile' })
    const refusal = await lines!.request(spoof, never)
    expect(() => toolResult('send_message', refusal)).toThrow(/frontend/)
    const said = await lines!.request(
      toolCall(3, 'send_message', { toTeam: 'backend', message: 'hi', timeout: 0 }),
      never,
    )
    expect(toolResult('send_message', said)).toMatchObject({ from: 'frontend', response: 'You said: hi' })
    lines!.close()
    await iris.daemon.stop(0)
    expect(existsSync(socketOf(iris.world))).toBe(false)
  })

  test('is what a bridge speaks over, in both eras, and the iris command', { timeout: slow }, async () => {
    using scratch = scratchDirectory()
    // The answer comes once progress was heard.
    const heardFile = join(scratch.path, 'heard')
    const steps = [{ waitForFile: heardFile }, { text: 'done' }]
    using claude = fakeClaude({ script: { rules: [{ steps }] } })
    const team = { claudePath: claude.claudePath, env: claude.env }
    await using iris = await Installation.create({
      teams: { frontend: team, backend: team },
      settings: { callsPerMinute: 600 },
    })
    await iris.startDaemon()
    await eventually(() => existsSync(socketOf(iris.world)), 'the socket')
    for (const era of eras) {
      await using client = await mcpClient(iris, era, { cwd: iris.world.directory('frontend') })
      expect(client.protocolVersion).toBe(era)
      rmSync(heardFile, { force: true })
      const more = { onprogress: () => writeFileSync(heardFile, '') }
      expect(await client.ask('backend', 'one', {}, more)).toMatchObject({ response: 'done', from: 'frontend' })
      expect(await client.call('team_wake', { team: 'nobody' })).toMatchObject({ error: { code: 'unknown_team' } })
      // That of the bridge before is closed a moment after it has ended.
      await eventually(() => connectionsTo(iris.world) === 1, 'its connection alone')
    }
    expect(await iris.run(['teams', 'list', '--json'])).toMatchObject({ code: 0 })
  })

  test('lets nobody in with another credential than that of programs', async () => {
    await using iris = await started()
    await using other = await createWorld()
    for (const token of [iris.world.owner(), 'x'.repeat(64), '']) {
      expect(await open(iris.world, { token })).toBeUndefined()
    }
    expect(existsSync(socketOf(other))).toBe(false)
    for (const line of ['GET / HTTP/1.1', '{"token":5}', 'x'.repeat(10_000), '[]', 'null']) {
      expect(await saidTo(iris.world, line)).toBe('')
    }
    const audited = iris.rows("SELECT subject FROM audit WHERE action = 'credential.refused'")
    expect(audited).toContainEqual({ subject: 'daemon.sock' })
  })

  test('gives a program no right of the owner', async () => {
    await using iris = await started()
    const lines = await open(iris.world)
    for (const name of ['get_config', 'list_permissions', 'answer_permission', 'session_attach'] as const) {
      const call = { jsonrpc: '2.0', id: name, method: 'tools/call', params: { name, arguments: {} } } as const
      expect(JSON.stringify(await lines!.request(call, never))).toContain('not_allowed')
    }
    lines!.close()
  })

  test('holds its callers to the limits of HTTP, and answers what is no message', async () => {
    await using iris = await started({ settings: { callsPerMinute: 20, maxMessageBytes: 1024 } })
    const hello = JSON.stringify({ token: iris.world.token() })
    const deep = `{"jsonrpc":"2.0","id":7,"method":"ping","params":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`
    const long = `{"jsonrpc":"2.0","id":8,"method":"${'x'.repeat(200_000)}"}`
    const heard = await saidTo(iris.world, hello, 'no json', '{"id":1}', deep, long, '{"jsonrpc":"2.0","id":"last"}')
    const [welcome, ...answers] = heard
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(welcome).toEqual({ iris: 'welcome' })
    expect(answers.slice(0, 4).map(({ id, error }) => [id, error.code])).toEqual([
      [null, -32_700],
      [null, -32_700],
      [7, -32_600],
      ['last', -32_600],
    ])
    const lines = await open(iris.world)
    const pings = Array.from({ length: 30 }, (_, id): JsonRpcRequest => ({ jsonrpc: '2.0', id, method: 'ping' }))
    const answered = await Promise.all(pings.map((ping) => lines!.request(ping, never)))
    expect(answered.filter(({ result }) => result !== undefined).length).toBeLessThanOrEqual(20)
    expect(answered.at(-1)?.error).toMatchObject({ data: { code: 'too_many_calls', retryAfterMs: expect.any(Number) } })
    lines!.close()
  })

  test('closes the connection of a program that does not read its answers, and logs it', async () => {
    await using iris = await started({ settings: { callsPerMinute: 100_000 } })
    const list = (id: number) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' })}\n`
    const deaf = connect(socketOf(iris.world))
      .on('error', () => {})
      .pause()
    deaf.write(
      `${JSON.stringify({ token: iris.world.token() })}\n${Array.from({ length: 600 }, (_, id) => list(id)).join('')}`,
    )
    const warned = async (): Promise<LogEntry[]> => {
      const { logs } = await callTool(iris, 'get_logs', { level: 'warn' })
      return (logs as LogEntry[]).filter(({ message }) => message.includes('does not read'))
    }
    await eventually(async () => (await warned()).length > 0, 'a line in the log')
    await eventually(() => connectionsTo(iris.world) === 0, 'the end of the connection')
    expect(await warned()).toEqual([
      expect.objectContaining({ context: 'mcp', ids: { unreadBytes: expect.any(Number) } }),
    ])
    expect(await date(await open(iris.world))).toEqual(expect.any(Number))
    deaf.destroy()
  })

  test('is hidden from agents whose isolation holds', { timeout: slow }, async () => {
    const team = { grantPermission: 'yes', dangerous: true }
    const teams = { home: { ...team, isolation: 'home' }, sandbox: { ...team, isolation: 'sandbox' } }
    await using iris = await started({ script: obedient, teams })
    const connects = `require("node:net").connect("${socketOf(iris.world)}").on("error", (e) => console.log(e.code))`
    for (const name of Object.keys(teams)) {
      const { response } = await ask(iris, name, `run ${process.execPath} -e '${connects}'`)
      expect({ name, response }).toEqual({ name, response: 'ENOENT' })
    }
    expect(await date(await open(iris.world))).toEqual(expect.any(Number))
  })

  test('is gone before an agent is started that could see it; who was connected stays', { timeout: slow }, async () => {
    const team = { grantPermission: 'yes', dangerous: true }
    const teams = { open: { ...team, isolation: 'none' }, home: team }
    await using iris = await started({ script: obedient, teams })
    const before = await open(iris.world)
    expect(await date(before)).toEqual(expect.any(Number))
    const { response } = await ask(iris, 'open', `run ls ${iris.world.home}`)
    expect(response).toContain('config.yaml')
    expect(response).not.toContain('daemon.sock')
    expect(await open(iris.world)).toBeUndefined()
    expect(await date(before)).toEqual(expect.any(Number))
    // Nobody knows what the agent has left behind.
    await iris.daemon.parts.pool.close()
    expect(await open(iris.world)).toBeUndefined()
    before!.close()
  })

  test('of a daemon that was killed is replaced by the next one; in between nobody listens', {
    tags: ['thorough'],
    timeout: slow,
  }, async () => {
    await using world = await createWorld()
    await using first = await DaemonProcess.start(world)
    await eventually(() => existsSync(socketOf(world)), 'the socket')
    await first.kill()
    expect(existsSync(socketOf(world))).toBe(true)
    expect(await open(world)).toBeUndefined()
    await using _second = await DaemonProcess.start(world)
    await eventually(async () => (await open(world)) !== undefined, 'the next socket')
    expect(statSync(socketOf(world)).mode & 0o777).toBe(0o600)
  })

  test('is left out where its path is too long for one, and nothing else changes', {
    tags: ['thorough'],
    timeout: slow,
  }, async () => {
    await using iris = await Installation.create({ teams: [] })
    const home = join(iris.world.root, 'x'.repeat(100))
    const env = { IRIS_HOME: home }
    const started = iris.start(['start'], { env })
    await eventually(() => existsSync(join(home, 'daemon.json')), 'the daemon')
    expect(await iris.run(['teams', 'list'], { env })).toMatchObject({ code: 0 })
    started.child.kill('SIGTERM')
    await started.ended
    expect(existsSync(join(home, 'daemon.sock'))).toBe(false)
  })
})
