import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { stepwise } from '../../src/app/demo/script.ts'
import { tinyPng } from '../support/attachable.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { ChatPlace, chatPlatforms } from '../support/chat-places.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { Installation } from '../support/program.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'

/** A forward proxy, as a company has one: it notes what it gets, and lets nothing through to this machine. */
async function companyProxy() {
  const seen: string[] = []
  const server = createServer(({ method, url, headers }, response) => {
    seen.push(`${method} ${url} ${headers.authorization ?? ''}`)
    response.writeHead(403).end()
  })
  server.on('connect', ({ url, headers }, socket) => {
    seen.push(`CONNECT ${url} ${headers.authorization ?? ''}`)
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { seen, env: { HTTP_PROXY: url, http_proxy: url, HTTPS_PROXY: url, https_proxy: url, ALL_PROXY: url } }
}

describe.each(claudeVersions)('what Claude Code %s says to this machine', (version) => {
  test.each(['the environment', 'a file of the project'])('goes through no proxy that %s names', async (where) => {
    const { seen, env } = await companyProxy()
    await using iris = await TestIris.start({
      script: stepwise({ toolUses: [{ name: 'mcp__iris__list_teams', input: {} }] }, { text: 'asked' }),
      settings: { claudePath: claudeBinary(version) },
      ...(where === 'the environment' && { env }),
    })
    const claude = join(iris.world.directory('backend'), '.claude')
    mkdirSync(claude)
    if (where !== 'the environment') writeFileSync(join(claude, 'settings.json'), JSON.stringify({ env }))
    expect(await ask(iris, 'backend', 'who is there?', { fromTeam: 'frontend' })).toMatchObject({ response: 'asked' })
    const { steps } = await callTool(iris, 'trace_turn', { turnId: iris.rows('SELECT id FROM turns')[0]!['id'] })
    expect(JSON.stringify(steps)).toContain('list_teams')
    expect(seen).toEqual([])
  })
})

describe.each(claudeVersions)('the session endpoint, with Claude Code %s', (version) => {
  const touch = stepwise({ toolUses: [{ name: 'Bash', input: { command: 'touch mark' } }] }, ({ conversation }) => ({
    text: String(conversation.toolResults[0]?.text),
  }))
  const yes = { grantPermission: 'yes', dangerous: true }

  test('is reached without the proxy that a file of the project wants for all but its own hosts', async () => {
    const { seen, env } = await companyProxy()
    const settings = { claudePath: claudeBinary(version), sessionMcpEnabled: true }
    await using iris = await TestIris.start({ script: touch, settings, teams: { backend: yes } })
    const claude = join(iris.world.directory('backend'), '.claude')
    mkdirSync(claude)
    // The address of the model is on this machine too, and would else be asked for by the proxy.
    const own = { ...env, NO_PROXY: 'intra.example', no_proxy: 'intra.example' }
    writeFileSync(join(claude, 'settings.json'), JSON.stringify({ env: own }))
    expect(await ask(iris, 'backend', 'touch')).toMatchObject({ status: 'completed' })
    expect(existsSync(join(iris.world.directory('backend'), 'mark'))).toBe(true)
    expect(seen).toEqual([])
  })

  test('that does not come up is a failure with that name, and the model is not asked', async () => {
    const { env } = await companyProxy()
    await using iris = await TestIris.start({ script: touch, teams: { backend: yes } })
    const claudePath = join(iris.world.root, 'claude')
    // Something on the way takes the lists away that Iris gave.
    const binary = JSON.stringify(claudeBinary(version))
    const variables = JSON.stringify({ ...env, NO_PROXY: 'model.example', no_proxy: 'model.example' })
    const wrapper = `#!${process.execPath}
const args = process.argv.slice(2).map((each) => each.replace(/"(no_proxy)":"[^"]*"/gi, '"$1":"model.example"'))
process.execve(${binary}, [${binary}, ...args], { ...process.env, ...${variables} })
`
    writeFileSync(claudePath, wrapper, { mode: 0o755 })
    iris.world.writeConfig({ settings: { claudePath, sessionMcpEnabled: true }, teams: { backend: yes } })
    await iris.event('config-reloaded')
    expect(await ask(iris, 'backend', 'touch')).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('The session endpoint of team "backend" did not come up'),
    })
    expect(iris.world.model.requests.recent).toEqual([])
  })
})

const sends = stepwise(
  { toolUses: [{ name: 'mcp__iris__chat_send_file', input: { path: 'picture.png' } }] },
  { text: 'sent' },
)

/** Takes whatever is posted, as a collector of traces does. */
async function collectorHere() {
  const taken: string[] = []
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      taken.push(`${request.url} ${request.headers['x-key']}`)
      response.end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { taken, tracesTo: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces` }
}

test('commands reach the daemon, and traces a collector here, without the proxy that Node.js is given', async () => {
  const { seen, env: proxies } = await companyProxy()
  const { taken, tracesTo } = await collectorHere()
  const insight = { tracesTo, traceHeaders: { 'x-key': 'of the collector' } }
  await using installation = await Installation.create({ claude: 'fake', insight })
  const env = { ...proxies, NODE_USE_ENV_PROXY: '1' }
  await installation.startDaemon({ env })
  const run = async (args: string[]): Promise<void> => {
    const { code, stdout, stderr } = await installation.run(args, { env })
    // The doctor finds things in this world that are no matter here.
    expect(args[0] === 'doctor' || code === 0, `${args.join(' ')}: ${stdout}${stderr}`).toBe(true)
  }
  await run(['tell', 'backend', 'hello', '--from', 'frontend'])
  await run(['dashboard', '--no-open'])
  await run(['doctor'])
  await eventually(() => taken.length > 0, 'the trace is sent')
  await run(['stop'])
  expect(taken).toEqual(['/v1/traces of the collector'])
  expect(seen).toEqual([])
})

test('bots go straight to their platforms, with files in both directions, whatever proxy Node.js is given', async () => {
  const { seen, env } = await companyProxy()
  await using installation = await Installation.create({ claude: 'fake', script: sends })
  const { world } = installation
  await using ends = new AsyncDisposableStack()
  const places = await Promise.all(
    chatPlatforms.map(async (name) => [name, ends.use(await ChatPlace.start(name))] as const),
  )
  writeFileSync(join(world.directory('backend'), 'picture.png'), tinyPng)
  world.writeConfig({ channels: Object.fromEntries(places.map(([name, place]) => [name, place.channel(world.home)])) })
  // The doubles are reached in the open, as a Bot API server of one's own is: a proxy could read each token.
  await installation.startDaemon({ env: { ...env, NODE_OPTIONS: '--use-env-proxy' } })
  for (const [, place] of places) {
    await place.listens()
    place.say('send', { name: 'a.png', content: tinyPng })
    await place.posted((text) => text.startsWith('sent'), 'the answer comes')
    // Slack takes a file in several requests, the last of them after the answer.
    await eventually(() => place.double.documents.length > 0, 'the file comes')
    expect(place.double.documents).toEqual([{ name: 'picture.png', content: tinyPng }])
  }
  expect(seen).toEqual([])
})
