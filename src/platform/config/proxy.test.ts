import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/temporary-home.ts'
import { masked } from './masked-text.ts'
import { proxy, proxyAccess } from './proxy.ts'
import { secretFiles } from './secret-files.ts'

test.each([
  { url: 'http://proxy.example:3128' },
  { url: 'https://proxy.example', user: 'iris', passwordFile: 'password' },
  { url: 'http://proxy.example:3128/', user: 'iris', passwordVariable: 'PROXY_PASSWORD' },
])('is taken: %j', (written) => {
  expect(proxy.safeParse(written).success).toBe(true)
})

test.each([
  [{ url: 'http://iris:hidden-word@proxy.example' }, 'url'],
  [{ url: 'http://proxy.example/path' }, 'url'],
  [{ url: 'socks5://proxy.example' }, 'url'],
  [{ url: 'proxy.example' }, 'url'],
  [{ url: 'http://proxy.example', user: 'iris' }, undefined],
  [{ url: 'http://proxy.example', passwordFile: 'password' }, undefined],
  [{ url: 'http://proxy.example', user: 'iris', passwordFile: 'a', passwordVariable: 'B' }, undefined],
  [{ url: 'http://proxy.example', user: 'ir:is', passwordFile: 'a' }, 'user'],
])('is refused, without saying what it is: %j', (written, place) => {
  const { error } = proxy.safeParse(written)
  expect(error?.issues[0]?.path[0]).toBe(place)
  expect(JSON.stringify(error?.issues)).not.toContain('hidden-word')
})

test('a password in an address is masked and not repeated, although it is refused', async () => {
  await using disk = await temporaryHome()
  const address = 'http://iris:hidden-word@proxy.example'
  const yaml = `insight:\n  tracesTo: http://collector.example\n  tracesProxy: { url: "${address}" }\n`
  expect(await disk.mistakes(yaml)).toContain('contains a user name, a password')
  expect(await disk.mistakes(yaml)).not.toContain('hidden-word')
  expect(await masked(yaml)).not.toContain('hidden-word')
})

test('the password comes from a file of the owner alone, or from a variable', async () => {
  await using disk = await temporaryHome()
  const file = join(disk.root, 'password')
  writeFileSync(file, 'open sesame\n', { mode: 0o600 })
  const url = 'http://proxy.example:3128'
  const encoded = Buffer.from('iris:open sesame').toString('base64')
  const found = { access: { url, authorization: `Basic ${encoded}` }, secrets: ['open sesame', encoded] }
  expect(await proxyAccess({ url, user: 'iris', passwordFile: file }, disk.root, {})).toEqual(found)
  const byVariable = { url, user: 'iris', passwordVariable: 'PASSWORD' }
  expect(await proxyAccess(byVariable, disk.root, { PASSWORD: 'open sesame' })).toEqual(found)
  expect(await proxyAccess({ url: `${url}/` }, disk.root, {})).toEqual({ access: { url }, secrets: [] })
  chmodSync(file, 0o644)
  expect(await proxyAccess({ url, user: 'iris', passwordFile: file }, disk.root, {})).toEqual({
    problem: `the password of the proxy cannot be used: others can read ${file}; run chmod 600 on it`,
  })
})

test('agents do not see the files with passwords', async () => {
  await using disk = await temporaryHome()
  const way = (name: string) => `{ url: http://proxy.example, user: iris, passwordFile: ${name} }`
  const endpoint = '{ url: https://a.example, secret: 0123456789abcdef0123456789abcdef'
  const config = await disk.load(`
settings: { forwardTo: ${endpoint}, proxy: ${way('of-all')} } }
teams: { a: { path: ${disk.root}/projects/backend, forwardTo: ${endpoint}, proxy: ${way('of-a')} } } }
channels: { shop: { platform: telegram, tokenFile: token, team: a, proxy: ${way('of-chat')} } }
insight: { tracesProxy: ${way('of-traces')} }
`)
  const names = secretFiles(config, {}).map((file) => file.split('/').at(-1))
  expect(new Set(names)).toEqual(new Set(['of-a', 'of-all', 'of-chat', 'of-traces', 'token']))
})
