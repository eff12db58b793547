import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { type FarHost, startFarHost } from '../support/far-host.ts'
import { TestIris } from '../support/iris.ts'
import { loginOf } from '../support/remote-world.ts'
import { spoken } from '../support/world.ts'

/** `run <command>` uses Bash; all else is repeated. */
const script: Script = ({ conversation: { lastUserText, step, toolResults } }) => {
  const said = spoken(lastUserText)
  if (step > 0) return { text: `It said: ${toolResults.at(-1)?.text ?? ''}` }
  if (said.startsWith('run ')) return { toolUses: [{ name: 'Bash', input: { command: said.slice(4) } }] }
  return { text: `You said: ${said}` }
}

let host: FarHost
let iris: TestIris
let path: string
beforeAll(async () => {
  host = await startFarHost()
  path = realpathSync(host.directory('backend'))
  // ssh gives up after 10 s of silence, before the heartbeats of Iris do.
  const remoteOptions = { serverAliveInterval: 5000, serverAliveCountMax: 2 }
  const backend = { remote: host.remote, remoteOptions, path, grantPermission: 'yes', dangerous: true }
  // The supervisor there counts its grace in real time, and a minute is the shortest.
  iris = await TestIris.start({ script, teams: { frontend: {}, backend: { ...backend, linkGrace: 60_000 } } })
  host.writeProfile(loginOf(await host.localUrl(iris.world.model.url)))
})
afterAll(async () => {
  host.plug()
  await iris[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

const effects = (file: string): string => (existsSync(join(path, file)) ? readFileSync(join(path, file), 'utf8') : '')
/** Twelve effects in some two seconds. */
const slowTool = (file: string): string =>
  `run for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo $i >> ${file}; sleep 0.2; done; echo done`
const all = '1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n'

async function pidOf(): Promise<number> {
  const { teams } = (await callTool(iris, 'team_status', { team: 'backend' })) as {
    teams: { sessions: { pid?: number }[] }[]
  }
  return teams[0]!.sessions[0]!.pid!
}

test('the cable is out while a tool works and ends: twelve effects of twelve, the answer, and the next one warm', async () => {
  const asked = ask(iris, 'backend', slowTool('short'), { fromTeam: 'frontend' })
  await eventually(() => effects('short').length > 0, 'the tool runs')
  host.pull()
  await eventually(() => effects('short') === all, 'the tool ends')
  host.plug()
  expect(await asked).toMatchObject({ status: 'completed', response: 'It said: done' })
  expect(effects('short')).toBe(all)
  expect(await ask(iris, 'backend', 'warm?', { fromTeam: 'frontend' })).toMatchObject({ response: 'You said: warm?' })
  expect(iris.rows('SELECT count(*) AS deliveries FROM deliveries')).toEqual([{ deliveries: 2 }])
})

test('the cable is out for longer than ssh waits: the caller hears of it, and the same process answers', async () => {
  const before = await pidOf()
  const heard: string[] = []
  const message = slowTool('long')
  const asked = callTool(
    iris,
    'send_message',
    { toTeam: 'backend', fromTeam: 'frontend', timeout: 0, message },
    { onProgress: (text) => heard.push(text) },
  )
  await eventually(() => effects('long').length > 0, 'the tool runs')
  host.pull()
  await iris.event('link-lost')
  await eventually(() => heard.some((text) => /unreachable for \d+ s/.test(text)), 'the caller hears of it')
  expect(await callTool(iris, 'list_sessions')).toMatchObject({ sessions: [{ unreachableSince: expect.any(Number) }] })
  host.plug()
  await iris.event('link-restored')
  expect(await asked).toMatchObject({ status: 'completed', response: 'It said: done' })
  expect(effects('long')).toBe(all)
  expect(await pidOf()).toBe(before)
})

test('the cable is out for longer than the grace: nothing lives there, the caller is told, and the next message goes on', async () => {
  const pid = await pidOf()
  const asked = ask(iris, 'backend', 'run echo effect >> gone; sleep 1000', { fromTeam: 'frontend' })
  await eventually(() => effects('gone') === 'effect\n', 'the tool runs')
  host.pull()
  const answer = await asked
  expect(answer).toMatchObject({
    status: 'in_doubt',
    reason: 'host_unreachable',
    detail: expect.stringContaining('Bash'),
  })
  const refused = await ask(iris, 'backend', 'nobody?', { fromTeam: 'frontend' })
  expect(refused).toMatchObject({ status: 'failed', reason: 'host_unreachable' })
  await eventually(() => !existsSync(`/proc/${pid}`), 'its supervisor has ended it')
  host.plug()
  expect(await ask(iris, 'backend', 'hello', { fromTeam: 'frontend' })).toMatchObject({ response: 'You said: hello' })
  expect(effects('gone')).toBe('effect\n')
})
