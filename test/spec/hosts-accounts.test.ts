import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { loginOf } from '../support/remote-world.ts'
import { type SshHost, startSshHost } from '../support/ssh-host.ts'

/** Says with which login it was asked. */
const script: Script = ({ headers }) => ({ text: String(headers.authorization ?? headers['x-api-key']) })

let host: SshHost
let iris: TestIris
beforeAll(async () => {
  host = await startSshHost()
  const directory = join(host.home, '.claude-private')
  mkdirSync(directory)
  const login = { accessToken: 'sk-ant-oat01-there', refreshToken: 'r', expiresAt: 4e12, scopes: ['user:inference'] }
  writeFileSync(join(directory, '.credentials.json'), JSON.stringify({ claudeAiOauth: login }), { mode: 0o600 })
  const tokenFile = join(host.root, 'work.token')
  writeFileSync(tokenFile, 'sk-ant-oat01-work', { mode: 0o600 })
  // What a project says of logins does not change that of its team's account, there as little as here.
  const key = { ANTHROPIC_API_KEY: 'theirs' }
  for (const [name, env] of Object.entries({ work: { ...key, ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' }, home: key })) {
    mkdirSync(join(host.directory(name), '.claude'), { recursive: true })
    const settings = JSON.stringify({ apiKeyHelper: 'echo theirs', env })
    writeFileSync(join(host.directory(name), '.claude/settings.json'), settings)
  }
  const on = (name: string) => ({ remote: host.remote, path: realpathSync(host.directory(name)) })
  const teams = {
    own: on('own'),
    work: { ...on('work'), account: { tokenFile } },
    home: { ...on('home'), account: { configDirectory: directory } },
    lost: { ...on('lost'), account: { tokenFile: join(host.root, 'nowhere') } },
  }
  iris = await TestIris.start({ script, teams })
  host.writeProfile(loginOf(iris.world.model.url))
})
afterAll(async () => {
  await iris[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

test('a team on another machine asks the model with the login of its account', async () => {
  expect(await ask(iris, 'own', 'who?')).toMatchObject({ response: 'dummy' })
  expect(await ask(iris, 'work', 'who?')).toMatchObject({ response: 'Bearer sk-ant-oat01-work' })
  expect(await ask(iris, 'home', 'who?')).toMatchObject({ response: 'Bearer sk-ant-oat01-there' })
  const detail = expect.stringContaining('token file not found: ')
  expect(await ask(iris, 'lost', 'who?')).toMatchObject({ status: 'failed', reason: 'account_unusable', detail })
})

test('nobody takes a conversation over there with another login than that of its token file', async () => {
  const owner = { port: iris.port, token: iris.world.owner() }
  expect(await callTool(owner, 'session_attach', { toTeam: 'work' })).toMatchObject({
    error: { code: 'account_unusable', remedy: expect.stringContaining('configDirectory') },
  })
  expect(await ask(iris, 'work', 'still warm?')).toMatchObject({ response: 'Bearer sk-ant-oat01-work' })
  const { command } = (await callTool(owner, 'session_attach', { toTeam: 'home' })) as { command: string[] }
  expect(command.join(' ')).toContain('ANTHROPIC_API_KEY= ')
})
