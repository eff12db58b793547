import { existsSync, readdirSync, realpathSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { TestBrowser } from '../support/browser.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { asOwner } from '../support/owner.ts'
import { loginOf, type RemoteWorld, startRemoteWorld } from '../support/remote-world.ts'
import { sessionEndpointIn } from '../support/session-mcp-file.ts'
import { startSshHost } from '../support/ssh-host.ts'
import { createWorld, spoken } from '../support/world.ts'

/** `run <command>` uses Bash; all else is repeated. */
const script: Script = ({ conversation: { lastUserText, step, toolResults } }) => {
  const said = spoken(lastUserText)
  if (step > 0) return { text: `It said: ${toolResults.at(-1)?.text ?? ''}` }
  if (said.startsWith('run ')) return { toolUses: [{ name: 'Bash', input: { command: said.slice(4) } }] }
  return { text: `You said: ${said}` }
}
const obedient = { grantPermission: 'yes', dangerous: true }
const tunnelled = { ...obedient, enableReverseMcp: true, sessionMcpEnabled: true }

describe('the way back from another machine', () => {
  let world: RemoteWorld
  let sessionId: string
  let file: string
  let endpoint: ReturnType<typeof sessionEndpointIn>
  beforeAll(async () => {
    world = await startRemoteWorld({ script }, tunnelled)
    sessionId = (await ask(world.iris, 'backend', 'hello', { fromTeam: 'frontend' })).sessionId
    file = join(world.host.directory('backend'), '.claude/iris/mcp', `${sessionId}.json`)
    endpoint = sessionEndpointIn(file)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('is a file there for its owner only, with a port there that is not the one of Iris', () => {
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700)
    expect(endpoint).toMatchObject({ path: `/mcp/${sessionId}` })
    expect(endpoint.port).not.toBe(world.iris.port)
  })

  test('is in team_status', async () => {
    expect(await callTool(world.iris, 'team_status', { team: 'backend' })).toMatchObject({
      teams: [{ link: { state: 'connected', tunnel: { state: 'open' } } }],
    })
  })

  test('is on the dashboard', { tags: ['thorough'] }, async () => {
    await using browser = await TestBrowser.start()
    await using tab = await browser.open(world.iris, { path: '/switchboard?team=backend' })
    await tab.page.getByText('inanna: connected, tunnel open').waitFor()
    expect(await tab.barriers()).toEqual([])
  })

  test('makes whoever has the file the agent of that session, with tools of its own', async () => {
    const { iris } = world
    const call = `run curl -s -H "$(sed 's/.*"Authorization":"\\([^"]*\\)".*/Authorization: \\1/' .claude/iris/mcp/${sessionId}.json)" -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' http://127.0.0.1:${endpoint.port}${endpoint.path} -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_message","arguments":{"toTeam":"mobile","message":"from there","timeout":0}}}'`
    const answer = await ask(iris, 'backend', call, { fromTeam: 'frontend' })
    expect(answer.response).toContain('You said: from there')
    expect(iris.rows(`SELECT from_team FROM team_sessions WHERE to_team = 'mobile'`)).toEqual([
      { from_team: 'backend' },
    ])
  })

  test('gives nobody the rights of the owner or of a program, whatever they bring', async () => {
    const { iris } = world
    const owner = iris.world.owner()
    const knock = async (path: string, token: string, method = 'POST') => {
      const { status } = await fetch(`http://127.0.0.1:${endpoint.port}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(method === 'POST' && { body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' }),
      })
      return status
    }
    for (const token of [owner, iris.token, endpoint.token]) {
      expect(await knock('/mcp', token)).toBe(404)
      expect(await knock('/stop', token)).toBe(404)
      expect(await knock('/api/teams', token, 'GET')).toBe(404)
      expect(await knock('/api/config', token, 'GET')).toBe(404)
      expect(await knock('/metrics', token, 'GET')).toBe(404)
      expect(await knock('/', token, 'GET')).toBe(404)
      expect(await knock('/permissions/x/answer', token)).toBe(404)
    }
    for (const token of [owner, iris.token, `${endpoint.token}x`, '']) {
      expect(await knock(endpoint.path, token)).toBe(401)
    }
    expect(await knock('/mcp/00000000-0000-4000-8000-000000000000', endpoint.token)).toBe(401)
  })

  test('is the only way for its token: at the port of Iris it opens nothing', async () => {
    const direct = { ...endpoint, port: world.iris.port }
    const { status } = await fetch(`http://127.0.0.1:${direct.port}${direct.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${direct.token}` },
    })
    expect(status).toBe(401)
  })

  test('an agent there that found the token of the owner is not the owner, at the port of Iris itself', async () => {
    const { iris, host } = world
    writeFileSync(join(host.directory('backend'), 'found'), iris.world.owner())
    const call = `run curl -s -o /dev/null -w '%{http_code}' -X POST -H "Authorization: Bearer $(cat found)" http://127.0.0.1:${iris.port}/stop`
    expect((await ask(iris, 'backend', call, { fromTeam: 'frontend' })).response).toBe('It said: 403')
  })

  test('comes back at the same port after the connection was lost', async () => {
    const { iris, host } = world
    host.cut()
    expect(await ask(iris, 'backend', 'still there?', { fromTeam: 'frontend' })).toMatchObject({ status: 'completed' })
    const listed = async () => {
      const headers = {
        authorization: `Bearer ${endpoint.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      }
      const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
      const url = `http://127.0.0.1:${endpoint.port}${endpoint.path}`
      return fetch(url, { method: 'POST', headers, body }).then(
        ({ status }) => status,
        () => 0,
      )
    }
    await eventually(async () => (await listed()) === 200, 'the tools are listed')
  })

  test('goes with the process, and the file too', async () => {
    await callTool(world.iris, 'team_sleep', { team: 'backend', fromTeam: 'frontend' })
    await eventually(() => !existsSync(file), 'the file is removed')
    const cache = join(world.host.home, '.cache/iris')
    const notes = readdirSync(cache).filter((name) => name.startsWith('files-'))
    await eventually(() => notes.every((name) => readdirSync(join(cache, name)).length === 0), 'no note is left')
    // Connections that are there already continue, and open nothing.
    const isOpen = () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(endpoint.port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
        socket.on('connect', () => socket.destroy())
      })
    await eventually(async () => !(await isOpen()), 'the port is closed')
  })
})

test('a server that allows no tunnel, or a team without the key: it is said, and the pipe is enough', {
  tags: ['thorough'],
}, async () => {
  await using world = await startRemoteWorld({ script }, { ...tunnelled, enableReverseMcp: false })
  const { iris, host } = world
  const mcp = join(host.directory('backend'), '.claude')
  const told = async () => JSON.stringify(await asOwner(iris, 'get_logs', { level: 'warn' }))
  expect(await ask(iris, 'backend', 'one', { fromTeam: 'frontend' })).toMatchObject({ status: 'completed' })
  expect(await told()).toContain('sessionMcpEnabled takes enableReverseMcp: true')
  await host.restart(['AllowTcpForwarding no'])
  const backend = { remote: host.remote, path: host.directory('backend'), ...tunnelled }
  iris.world.writeConfig({ teams: { frontend: {}, mobile: {}, backend } })
  await iris.event('config-reloaded')
  expect(await ask(iris, 'backend', 'run echo two', { fromTeam: 'frontend' })).toMatchObject({
    response: 'It said: two',
  })
  expect(await told()).toContain('the server there refuses a tunnel')
  const why = expect.stringContaining('the server there refuses a tunnel')
  expect(await callTool(iris, 'team_status', { team: 'backend' })).toMatchObject({
    teams: [{ link: { state: 'connected', tunnel: { state: 'failed', why } } }],
  })
  expect(existsSync(mcp)).toBe(false)
  await using browser = await TestBrowser.start()
  await using tab = await browser.open(iris, { path: '/switchboard?team=backend' })
  await tab.page.getByText(/inanna: connected, no tunnel \(.*the server there refuses a tunnel/).waitFor()
  expect(tab.troubles).toEqual([])
})

test('the file of a daemon that was killed is removed by the next one, which puts back a transcript that is missing there', {
  tags: ['thorough'],
}, async () => {
  await using world = await createWorld({ script })
  await using host = await startSshHost()
  const path = realpathSync(host.directory('backend'))
  world.writeConfig({ teams: { frontend: {}, backend: { remote: host.remote, path, ...tunnelled } } })
  host.writeProfile(loginOf(world.model.url))
  const first = await DaemonProcess.start(world)
  const { sessionId } = await ask(first, 'backend', 'hello', { fromTeam: 'frontend' })
  const file = join(path, '.claude/iris/mcp', `${sessionId}.json`)
  expect(existsSync(file)).toBe(true)
  const slug = path.replace(/[^a-zA-Z0-9]/g, '-')
  const transcript = join(host.home, '.claude/projects', slug, `${sessionId}.jsonl`)
  await callTool(first, 'team_sleep', { team: 'backend', fromTeam: 'frontend' })
  await eventually(() => existsSync(join(world.home, 'data/transcripts', slug, `${sessionId}.jsonl`)), 'it is kept')
  await callTool(first, 'team_wake', { team: 'backend', fromTeam: 'frontend' })
  expect(existsSync(file)).toBe(true)
  await first.kill()
  unlinkSync(transcript)
  await using _second = await DaemonProcess.start(world)
  await eventually(() => !existsSync(file), 'the file is removed')
  await eventually(() => existsSync(transcript), 'the transcript is put back')
})
