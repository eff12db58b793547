import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Script } from '../../src/app/demo/script.ts'
import { theOwner } from '../../src/kernel/call/principal.ts'
import { callAs } from '../support/call-as.ts'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { TestIris } from '../support/iris.ts'
import { plainHttp } from '../support/plain-http.ts'
import { senders } from '../support/senders.ts'
import { WebhookEndpoint } from '../support/webhook-endpoint.ts'

const guide = readFileSync(new URL('../../docs/guide/build.md', import.meta.url), 'utf8')
const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(guide) ?? []
const { triggers, callbacks } = parse(yaml)
/** By name, each exactly as the page prints it. */
const programs = new Map([...guide.matchAll(/```js\n\/\/ (\S+)\n(.*?)```/gs)].map(([, name, code]) => [name!, code!]))
const webhookSecret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
const githubSecret = 'what GitHub and this Iris know, and nobody else'

/** Of the gate it says what the commit is for; of the rest, that it has read it. */
const script: Script = ({ conversation: { lastUserText, step } }) => {
  const commit = /the commit (\w+)/.exec(lastUserText)?.[1]
  if (commit === undefined || step > 0) return { text: 'Read.' }
  const value = { ready: commit === 'good', why: `${commit} it is` }
  return { toolUses: [{ name: 'mcp__iris__return_value', input: { value } }] }
}

const owner = { principal: theOwner, team: undefined, parent: undefined }
let iris: TestIris
let token: string
let commenterPort: number
beforeAll(async () => {
  const httpPort = await freePort()
  commenterPort = await freePort()
  iris = await TestIris.start({ claude: 'fake', script, settings: { httpPort }, teams: { backend: {} } })
  // `~` is the home of the daemon's user, here that of the test.
  const secrets = join(iris.world.root, '.iris')
  mkdirSync(secrets)
  writeFileSync(join(secrets, 'github.secret'), githubSecret, { mode: 0o600 })
  writeFileSync(join(secrets, 'commenter.secret'), webhookSecret, { mode: 0o600 })
  const url = `http://127.0.0.1:${commenterPort}/`
  iris.world.writeConfig({ triggers, callbacks: { commenter: { ...callbacks.commenter, url } } })
  await iris.event('config-reloaded')
  const made = await callAs(owner, iris, 'create_token', { program: 'ci', teams: ['backend'] })
  token = String(made['token'])
})
afterAll(() => iris[Symbol.asyncDispose]())

interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  said: string
}
const started: Running[] = []
afterEach(async () => {
  for (const { child } of started) child.kill()
  await Promise.all(started.splice(0).map(({ ended }) => ended))
})

/** As a reader who copies the program into a file of that name. */
function run(name: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Running {
  const file = join(iris.world.root, name)
  writeFileSync(file, programs.get(name)!)
  const known = { IRIS_URL: `http://127.0.0.1:${iris.port}`, IRIS_TOKEN: token }
  const child = spawn(process.execPath, [file, ...args], { env: Object.assign(known, env), stdio: 'pipe' })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const running: Running = { child, ended, said: '' }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (running.said += String(chunk)))
  started.push(running)
  return running
}

/** Once the metrics of Iris say so. */
const metrics = (line: string) =>
  eventually(async () => {
    const { body } = await plainHttp(iris.port, 'GET', '/metrics', { authorization: `Bearer ${iris.token}` })
    return body.includes(`${line}\n`)
  }, line)

test('the gate lets a good commit pass and stops another, and asks once for each', async () => {
  const gates = ['good', 'bad', 'bad'].map((commit) => run('gate.mjs', ['backend', commit]))
  expect(await Promise.all(gates.map(({ ended }) => ended))).toEqual([0, 1, 1])
  expect(gates.map(({ said }) => said)).toEqual(['good it is\n', 'bad it is\n', 'bad it is\n'])
  expect(iris.rows("SELECT count(*) AS count FROM turns WHERE message LIKE 'May the commit%'")).toEqual([{ count: 2 }])
})

test('an issue on GitHub gets the answer of the team as a comment, once, also when it is posted twice', async () => {
  await using github = await WebhookEndpoint.start((response) => response.writeHead(201).end())
  const own = { SECRET: webhookSecret, PORT: String(commenterPort) }
  run('commenter.mjs', [], { ...own, GITHUB_TOKEN: 'gh', GITHUB_API: `http://${github.host}` })
  const forged = () =>
    plainHttp(commenterPort, 'POST', '/', {}, '{}').then(
      ({ status }) => status,
      () => 0,
    )
  await eventually(async () => (await forged()) === 401, 'it listens, and takes nothing unsigned')
  const issue = { number: 12, title: 'Orders get lost', body: 'Since Monday.' }
  const body = JSON.stringify({ action: 'opened', issue, repository: { full_name: 'ada/shop' } })
  const sent = await plainHttp(iris.port, 'POST', '/in/issues', senders.github(githubSecret, { body }), body)
  expect(sent.status).toBe(202)
  const taken = (times: number) => metrics(`{callback="commenter",result="taken"} ${times}`)
  await taken(1)
  await callAs(owner, iris, 'replay_callback', { callback: 'commenter', since: 0 })
  await taken(2)
  const comment = { path: '/repos/ada/shop/issues/12/comments', body: '{"body":"Read."}' }
  expect(github.taken).toMatchObject([comment])
  expect(github.taken[0]?.headers.authorization).toBe('Bearer gh')
})

test('the live view shows what it missed while Iris was restarted, each line once', async () => {
  const { turnId: first } = await ask(iris, 'backend', 'before it looks')
  const view = run('live.mjs', [], { IRIS_TOKEN: iris.token })
  const shows = (line: string) => eventually(() => view.said.includes(line), `the view shows ${line}`)
  await metrics('iris_stream_readers 1')
  const { turnId: second } = await ask(iris, 'backend', 'while it looks')
  await shows(`${second} ended: completed`)
  await iris.restart()
  const { turnId: third } = await ask(iris, 'backend', 'at once after the restart')
  await shows(`${third} ended: completed`)
  const lines = (turnId: string | undefined) => view.said.split('\n').filter((line) => line.startsWith(turnId ?? '?'))
  expect(lines(second)).toEqual([`${second} external asks backend (main)`, `${second} ended: completed`])
  expect(lines(third)).toHaveLength(2)
  expect(lines(first)).toEqual([])
})
