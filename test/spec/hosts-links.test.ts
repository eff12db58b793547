import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool, type Endpoint } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { loginOf, type RemoteWorld, startRemoteWorld } from '../support/remote-world.ts'
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
/** One effect, then the tool waits until the test lets it go on. */
const heldTool = 'run echo effect >> effects; until [ -e go ]; do sleep 0.1; done; echo done'

describe('the connection is lost', () => {
  let world: RemoteWorld
  beforeAll(async () => {
    world = await startRemoteWorld({ script }, obedient)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('in the middle of a tool: it goes on there, runs once, and the answer and the next message come', async () => {
    const { iris, host } = world
    const effects = join(host.directory('backend'), 'effects')
    const asked = ask(iris, 'backend', heldTool, { fromTeam: 'frontend' })
    await eventually(() => existsSync(effects), 'the tool runs')
    host.cut()
    writeFileSync(join(host.directory('backend'), 'go'), '')
    expect(await asked).toMatchObject({ status: 'completed', response: 'It said: done' })
    expect(readFileSync(effects, 'utf8')).toBe('effect\n')
    expect(await ask(iris, 'backend', 'warm?', { fromTeam: 'frontend' })).toMatchObject({ response: 'You said: warm?' })
    expect(iris.rows('SELECT count(*) AS deliveries FROM deliveries')).toEqual([{ deliveries: 2 }])
  })

  test('while nothing runs: the next message finds the same process', async () => {
    const { iris, host } = world
    await ask(iris, 'backend', 'one', { fromTeam: 'frontend' })
    const pid = await pidOf(iris)
    host.cut()
    expect(await ask(iris, 'backend', 'two', { fromTeam: 'frontend' })).toMatchObject({ response: 'You said: two' })
    expect(await pidOf(iris)).toBe(pid)
  })
})

test('a daemon that is stopped leaves neither a process nor a connection there', async () => {
  await using world = await startRemoteWorld({ script })
  const { iris, host } = world
  await ask(iris, 'backend', 'hello', { fromTeam: 'frontend' })
  const pid = await pidOf(iris)
  await iris.daemon.stop(0)
  expect(existsSync(`/proc/${pid}`)).toBe(false)
  await eventually(() => host.connections() === 0, 'the connection ends')
})

test('a daemon that is killed in the middle of a tool: what it left there is ended before the message goes on', async () => {
  await using world = await createWorld({ script })
  await using host = await startSshHost()
  const path = realpathSync(host.directory('backend'))
  world.writeConfig({ teams: { frontend: {}, backend: { remote: host.remote, path, ...obedient } } })
  host.writeProfile(loginOf(world.model.url))
  const first = await DaemonProcess.start(world)
  const asked = await callTool(first, 'send_message', {
    toTeam: 'backend',
    message: heldTool,
    fromTeam: 'frontend',
    timeout: -1,
  })
  await eventually(() => existsSync(join(path, 'effects')), 'the tool runs')
  const left = await pidOf(first)
  await first.kill()
  expect(existsSync(`/proc/${left}`)).toBe(true)
  await using second = await DaemonProcess.start(world)
  const { turnId } = asked as { turnId: string }
  const status = await callTool(second, 'message_status', { turnId, timeout: 60_000 })
  expect(status).toMatchObject({ turnId, status: 'completed' })
  expect(existsSync(`/proc/${left}`)).toBe(false)
  expect(readFileSync(join(path, 'effects'), 'utf8')).toBe('effect\n')
})

async function pidOf(iris: Endpoint): Promise<number> {
  const { teams } = (await callTool(iris, 'team_status', { team: 'backend' })) as {
    teams: { sessions: { pid?: number }[] }[]
  }
  return teams[0]!.sessions[0]!.pid!
}
