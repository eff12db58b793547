import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { TestIris } from '../support/iris.ts'
import { plainHttp } from '../support/plain-http.ts'
import { senders } from '../support/senders.ts'

const guide = readFileSync(new URL('../../docs/guide/triggers.md', import.meta.url), 'utf8')
const blocks = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, text]) => text!)
/** Of the page, all in one configuration. */
const triggers: Record<string, object> = Object.assign(
  {},
  ...blocks('yaml').map((text) => parse(text).triggers as object | undefined),
)
const [receiver] = blocks('yaml').flatMap((text) => parse(text).receivers ?? [])
const cron = blocks('sh').find((text) => text.startsWith('curl'))!

let iris: TestIris
beforeAll(async () => {
  iris = await TestIris.start({ claude: 'fake', script: () => ({ text: 'Noted.' }), teams: { backend: {} } })
  // `~` is the home of the daemon's user, here that of the test.
  mkdirSync(join(iris.world.root, '.iris'))
  for (const name of Object.keys(triggers))
    writeFileSync(join(iris.world.root, '.iris', `${name}.secret`), secretOf(name), { mode: 0o600 })
  iris.world.writeConfig({ triggers: triggers as never })
  await iris.event('config-reloaded')
})
afterAll(() => iris[Symbol.asyncDispose]())

const secretOf = (name: string): string => `${name}-${'s'.repeat(32)}`
const messages = (name: string) =>
  iris.rows(
    `SELECT thread, message FROM turns JOIN team_sessions ON team_sessions.id = session
     WHERE from_team = 'trigger:${name}' ORDER BY sequence`,
  )

test('a new issue on GitHub becomes a message; the ping and other actions do not', async () => {
  const send = (body: string, event: string) =>
    plainHttp(iris.port, 'POST', '/in/github', senders.github(secretOf('github'), { body, event }), body)
  const issue = { number: 12, title: 'Orders get lost', body: null }
  const event = { issue, repository: { full_name: 'ada/shop' }, sender: { login: 'eve' } }
  expect((await send('{"zen":"Keep it logically awesome.","hook":{}}', 'ping')).status).toBe(204)
  expect((await send(JSON.stringify({ action: 'closed', ...event }), 'issues')).status).toBe(204)
  expect((await send(JSON.stringify({ action: 'opened', ...event }), 'issues')).status).toBe(202)
  expect(messages('github')).toEqual([
    {
      thread: 'role:chat_bot:issue-12',
      message: expect.stringMatching(/^A new issue in \[repository\.full_name\].*\nissue\.title: "Orders get lost"\n/s),
    },
  ])
})

test('an alert of Alertmanager becomes a message in its conversation', async () => {
  const { url, http_config: http } = receiver.webhook_configs[0]
  expect(http).toEqual({ authorization: { credentials_file: expect.any(String) } })
  // A message from Alertmanager, version 4.
  const body = JSON.stringify({
    version: '4',
    groupKey: '{}:{alertname="Slow"}',
    truncatedAlerts: 0,
    status: 'firing',
    receiver: 'iris',
    groupLabels: {},
    commonLabels: { alertname: 'Slow' },
    commonAnnotations: {},
    externalURL: 'http://alerts.example',
    alerts: [{ status: 'firing', labels: { alertname: 'Slow' }, annotations: { summary: 'p99 over 2 s' } }],
  })
  const answer = await plainHttp(iris.port, 'POST', new URL(url).pathname, senders.bearer(secretOf('alerts')), body)
  expect(answer.status).toBe(202)
  expect(messages('alerts')).toEqual([
    {
      thread: 'role:chat_bot:alert-Slow',
      message: expect.stringContaining('\nalerts.0.annotations.summary: "p99 over 2 s"\n'),
    },
  ])
})

test('a cron job sends one message a day, however often it tries', async () => {
  const project = iris.world.directory('backend')
  const run = promisify(execFile)
  const env = { ...iris.world.env, GIT_CONFIG_GLOBAL: '/dev/null' }
  await run('git', ['init', '-q', project], { env })
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid']
  await run('git', ['-C', project, ...who, 'commit', '-q', '--allow-empty', '-m', 'one'], { env })
  // `--retry` is for an Iris that starts; here it runs.
  const script = cron.replace(':1615', `:${iris.port}`).replaceAll(/\$\(cat [^)]*\)/g, secretOf('nightly'))
  const answers = [
    await run('sh', ['-c', script], { env, cwd: project }),
    await run('sh', ['-c', script], { env, cwd: project }),
  ]
  const [first, second] = answers.map(({ stdout }) => JSON.parse(stdout))
  expect(first.status).toBe('accepted')
  expect(second).toEqual({ status: 'repeated', turnId: first.turnId })
  expect(messages('nightly')).toEqual([
    { thread: 'role:chat_bot:nightly', message: expect.stringContaining('\ncommits: "1"\n') },
  ])
})
