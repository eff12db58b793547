import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toolsFor } from '../../src/adapters/mcp/tools.ts'
import { eventually } from '../support/eventually.ts'
import { type FakeClaudeSetup, fakeClaude } from '../support/fake-claude.ts'
import { eras, mcpClient } from '../support/mcp-clients.ts'
import { Installation, processesOf } from '../support/program.ts'
import { isBrief } from '../support/tier.ts'
import { spoken } from '../support/world.ts'

const slow = 60_000

/** Teams `frontend` and `backend`, answered by a fake. */
function teamsOf({ claudePath, env }: FakeClaudeSetup) {
  return { frontend: { claudePath, env }, backend: { claudePath, env } }
}

/** Works on the first message until the gate opens. */
function gatedClaude(): FakeClaudeSetup {
  return fakeClaude({ script: (file) => ({ rules: [{ steps: [{ waitForFile: file('go') }, { text: 'done' }] }] }) })
}

function isWorking(claude: FakeClaudeSetup): boolean {
  return claude.oracle().some(({ event }) => event === 'message')
}

function turns(iris: Installation): Record<string, unknown>[] {
  return iris.rows('SELECT id, message, outcome, answer FROM turns ORDER BY sequence')
}

test.each(isBrief ? eras.slice(-1) : eras)(
  'a client of %s asks the real Claude Code through the bridge, which starts the daemon',
  { timeout: slow },
  async (era) => {
    await using iris = await Installation.create({
      script: ({ conversation }) => ({ text: conversation.userTexts.map(spoken).join(' | ') }),
    })
    expect(iris.daemon()).toBeUndefined()
    await using client = await mcpClient(iris, era, { cwd: iris.world.directory('frontend') })
    expect(client.protocolVersion).toBe(era)
    expect(await client.toolNames()).toEqual(toolsFor('program').map(({ name }) => name))
    const heard: unknown[] = []
    const first = await client.ask('backend', 'one', {}, { onprogress: ({ message }) => heard.push(message) })
    expect(first).toMatchObject({ status: 'completed', response: 'one', from: 'frontend', to: 'backend' })
    expect(heard).not.toEqual([])
    expect(await client.ask('backend', 'zwei')).toMatchObject({ response: 'one | zwei', sessionId: first.sessionId })
    expect(await client.call('team_wake', { team: 'nobody' })).toMatchObject({ error: { code: 'unknown_team' } })
  },
)

test('two bridges that start at once find one daemon', { tags: ['thorough'], timeout: slow }, async () => {
  using claude = fakeClaude()
  await using iris = await Installation.create({ teams: teamsOf(claude) })
  const clients = await Promise.all(
    eras.map((era, index) => mcpClient(iris, era, { cwd: iris.world.directory(['frontend', 'backend'][index]!) })),
  )
  const told = await Promise.all(clients.map((client) => client.call('team_status')))
  expect(told).toMatchObject([{ pool: { activeProcesses: 0 } }, { pool: { activeProcesses: 0 } }])
  await eventually(() => processesOf(iris.world.home).length === clients.length + 1, 'one daemon besides the bridges')
  expect(statSync(join(iris.world.home, 'logs/daemon.log')).mode & 0o777).toBe(0o600)
  await Promise.all(clients.map((client) => client.close()))
  await eventually(() => processesOf(iris.world.home).length === 1, 'the daemon to outlive the bridges')
})

test('a bridge that loses the race for the lock waits for the daemon that has it', {
  tags: ['thorough'],
  timeout: slow,
}, async () => {
  await using iris = await Installation.create({ teams: [] })
  await iris.startDaemon()
  const [file, aside] = ['daemon.json', 'aside'].map((name) => join(iris.world.home, name)) as [string, string]
  // As in the moment in which a daemon has the lock and does not serve yet.
  renameSync(file, aside)
  const bridge = iris.start(['mcp'])
  bridge.child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
  const log = join(iris.world.home, 'logs/daemon.log')
  const refusals = (): number =>
    existsSync(log) ? readFileSync(log, 'utf8').split('error: A daemon is already running').length - 1 : 0
  await eventually(() => refusals() === 2, 'a second try')
  renameSync(aside, file)
  await eventually(() => bridge.stdout.includes('\n'), 'an answer')
  expect(JSON.parse(bridge.stdout)).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
})

test('a call survives a daemon that is killed in the middle of it, as one turn', { timeout: slow }, async () => {
  using claude = gatedClaude()
  await using iris = await Installation.create({ teams: teamsOf(claude) })
  await using client = await mcpClient(iris, '2025-11-25', { cwd: iris.world.directory('frontend') })
  const answer = client.ask('backend', 'hello')
  await eventually(() => isWorking(claude), 'the message to be worked on')
  const killed = iris.daemon()!.pid
  process.kill(killed, 'SIGKILL')
  await eventually(() => iris.daemon()?.pid !== killed, 'another daemon')
  claude.open('go')
  const result = await answer
  expect(result).toMatchObject({ status: 'completed', response: 'done' })
  expect(turns(iris)).toEqual([{ id: result.turnId, message: 'hello', outcome: 'completed', answer: 'done' }])
})

test('the next call after the daemon was stopped starts another one', {
  tags: ['thorough'],
  timeout: slow,
}, async () => {
  using claude = fakeClaude({ script: { rules: [{ steps: [{ text: 'done' }] }] } })
  await using iris = await Installation.create({ teams: teamsOf(claude) })
  await using client = await mcpClient(iris, '2026-07-28', { cwd: iris.world.directory('frontend') })
  await client.call('get_date')
  const { pid } = iris.daemon()!
  expect(await iris.run(['stop'])).toMatchObject({ code: 0 })
  expect(iris.daemon()).toBeUndefined()
  expect(await client.ask('backend', 'hello')).toMatchObject({ status: 'completed', response: 'done' })
  expect(iris.daemon()?.pid).not.toBe(pid)
})

test('a bridge speaks as the team in whose directory it was started, whatever is claimed', {
  timeout: slow,
}, async () => {
  using claude = fakeClaude()
  await using iris = await Installation.create({ teams: teamsOf(claude) })
  const inside = join(iris.world.directory('backend'), 'src')
  await mkdir(inside)
  const project = { CLAUDE_PROJECT_DIR: iris.world.directory('frontend') }
  await using outside = await mcpClient(iris, '2025-11-25', { cwd: iris.world.root })
  await using backend = await mcpClient(iris, '2025-11-25', { cwd: inside })
  await using claudeCode = await mcpClient(iris, '2026-07-28', { cwd: inside, env: project })

  expect(await backend.ask('frontend', 'who am I')).toMatchObject({ from: 'backend' })
  expect(await backend.call('send_message', { toTeam: 'frontend', message: 'x', fromTeam: 'frontend' })).toMatchObject({
    error: { code: 'from_mismatch' },
  })
  expect(await claudeCode.ask('backend', 'who am I')).toMatchObject({ from: 'frontend' })
  expect(await outside.ask('backend', 'who am I')).toMatchObject({ from: 'external' })
  expect(await outside.ask('backend', 'who am I', { fromTeam: 'frontend' })).toMatchObject({ from: 'frontend' })
})

test('a call that its client cancels ends the wait, not the turn', { timeout: slow }, async () => {
  using claude = gatedClaude()
  await using iris = await Installation.create({ teams: teamsOf(claude) })
  await using client = await mcpClient(iris, '2026-07-28', { cwd: iris.world.directory('frontend') })
  const cancelled = new AbortController()
  const answer = client.ask('backend', 'hello', {}, { signal: cancelled.signal })
  await eventually(() => isWorking(claude), 'the message to be worked on')
  cancelled.abort()
  await expect(answer).rejects.toThrow(/abort/i)
  claude.open('go')
  const [turn] = turns(iris)
  const turnId = String(turn?.['id'])
  expect(await client.call('message_status', { turnId, timeout: 0 })).toMatchObject({
    status: 'completed',
    response: 'done',
  })
})

test('stdout carries JSON-RPC only, and the end of stdin ends the bridge at once', { timeout: slow }, async () => {
  using claude = gatedClaude()
  await using iris = await Installation.create({ teams: teamsOf(claude) })
  const bridge = iris.start(['mcp'], { env: { IRIS_LOG: 'debug' } })
  const send = (text: string): void => void bridge.child.stdin.write(`${text}\n`)
  const call = (id: number, name: string, args: object): void =>
    send(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }))
  send('{"jsonrpc": "2.0", oops')
  call(1, 'get_date', {})
  call(2, 'send_message', { toTeam: 'backend', message: 'line\u2028separator', timeout: 0 })
  await eventually(() => bridge.stdout.split('\n').length === 3 && isWorking(claude), 'two answers')
  bridge.child.stdin.end()
  const { code, stdout } = await bridge.ended
  expect(code).toBe(0)
  const messages = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(messages).toMatchObject([
    { jsonrpc: '2.0', id: null, error: { code: -32_700 } },
    { jsonrpc: '2.0', id: 1, result: { structuredContent: { unix: expect.any(Number) } } },
  ])
  expect(turns(iris)).toMatchObject([{ message: 'line\u2028separator', outcome: null }])
})

test('a daemon that cannot start is told to the client, which may try again', {
  tags: ['thorough'],
  timeout: slow,
}, async () => {
  await using iris = await Installation.create()
  const file = join(iris.world.home, 'config.yaml')
  writeFileSync(file, 'settings:\n  maxProcesses: many\n', { mode: 0o600 })
  const bridge = iris.start(['mcp'])
  const call = (id: number): boolean =>
    bridge.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`)
  call(1)
  await eventually(() => bridge.stdout.includes('\n'), 'the refusal')
  const { id, error } = JSON.parse(bridge.stdout)
  expect({ id, code: error.code }).toEqual({ id: 1, code: -32_000 })
  expect(error.message).toContain('settings.maxProcesses')
  iris.world.writeConfig()
  call(2)
  await eventually(() => bridge.stdout.split('\n').length === 3, 'an answer')
  expect(JSON.parse(bridge.stdout.split('\n')[1]!)).toMatchObject({ id: 2, result: {} })
})
