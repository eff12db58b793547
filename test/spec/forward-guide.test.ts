import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { TestIris } from '../support/iris.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { spoken } from '../support/world.ts'

const guide = readFileSync(new URL('../../docs/guide/forward.md', import.meta.url), 'utf8')
const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`

const runs: Script = ({ conversation: { lastUserText, step } }) =>
  step === 0 ? { toolUses: [{ name: 'Bash', input: { command: spoken(lastUserText) } }] } : { text: 'done' }

test('the endpoint in the guide decides as it says', async () => {
  using scratch = scratchDirectory()
  await using endpoint = await startExample(scratch.path)
  const settings = { forwardTo: { url: endpoint.url, secret } }
  const teams = { backend: { grantPermission: 'forward' } }
  await using iris = await TestIris.start({ script: runs, settings, teams })
  await ask(iris, 'backend', 'npm test')
  await ask(iris, 'backend', 'npm publish')
  const decided = `SELECT json_extract(input, '$.command') AS command, state FROM permissions ORDER BY asked_at, rowid`
  expect(iris.rows(decided)).toEqual([
    { command: 'npm test', state: 'allowed' },
    { command: 'npm publish', state: 'denied' },
  ])
  expect((await fetch(endpoint.url, { method: 'POST', body: '{"type":"permission.request"}' })).status).toBe(401)
})

async function startExample(directory: string): Promise<AsyncDisposable & { readonly url: string }> {
  const [, code = ''] = /```js\n(.*?)```/s.exec(guide) ?? []
  const file = join(directory, 'endpoint.mjs')
  writeFileSync(file, code)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  const child = spawn(process.execPath, [file], { env: { SECRET: secret, PORT: String(port) }, stdio: 'inherit' })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  let isUp = false
  const look = () =>
    void fetch(url)
      .then(() => (isUp = true))
      .catch(() => {})
  await eventually(() => isUp || look(), 'the endpoint listens')
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill()
      await exited
    },
  }
}
