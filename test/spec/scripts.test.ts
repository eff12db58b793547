import { spawnSync } from 'node:child_process'
import { existsSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Checkout } from '../support/checkout.ts'

test('scripts/run sets up and runs a command at the root, with the Node of the checkout', async () => {
  using checkout = new Checkout()
  const script = 'console.log(JSON.stringify([process.cwd(), process.execPath, process.env.PATH.split(":")[0]]))'
  const ending = await checkout.start(join(checkout.root, 'scripts/run'), ['node', '-e', script], { cwd: '/' }).ended
  expect(JSON.parse(ending.stdout)).toEqual([checkout.root, process.execPath, join(checkout.root, 'node_modules/.bin')])
})

test('scripts/test hands on arguments and exit code, and nothing of the environment', async () => {
  using checkout = new Checkout()
  for (const tool of ['env', 'mktemp', 'sh']) checkout.link(tool)
  checkout.command('vitest', 'echo "$*" "$HOME"; [ -d "$HOME" ] && env; exit 3')
  const env = {
    HOME: checkout.directory,
    ANTHROPIC_API_KEY: 'secret',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    CI: 'yes',
    TERM: 'dumb',
  }
  const ending = await checkout.start(join(checkout.root, 'scripts/test'), ['--bail', 'two words'], { env }).ended
  expect(ending.code).toBe(3)

  const [first = '', ...variables] = ending.stdout.trim().split('\n')
  const [, home] = first.match(/^run --bail two words (.+)$/) ?? []
  expect(home).toMatch(/iris-test-home/)
  expect(existsSync(home ?? '')).toBe(false)
  const names = variables.map((line) => line.replace(/=.*/, '')).filter((name) => name !== '_')
  expect(names.toSorted()).toEqual(['CI', 'HOME', 'LANG', 'PATH', 'PWD', 'TERM'])
})

test('scripts/test runs a program in the same way', async () => {
  using checkout = new Checkout()
  for (const tool of ['env', 'mktemp', 'sh']) checkout.link(tool)
  const env = { HOME: checkout.directory, ANTHROPIC_API_KEY: 'secret' }
  const script = 'console.log(JSON.stringify([process.argv.slice(1), process.env.HOME, Object.keys(process.env)]))'
  const args = ['node', '-e', script, 'two words']
  const ending = await checkout.start(join(checkout.root, 'scripts/test'), args, { env }).ended
  const [given, home, names] = JSON.parse(ending.stdout) as [string[], string, string[]]
  expect(given).toEqual(['two words'])
  expect(home).toMatch(/iris-test-home/)
  expect(names).not.toContain('ANTHROPIC_API_KEY')
})

const namespaces = spawnSync('unshare', [process.getuid?.() === 0 ? '-n' : '-cn', 'true']).status === 0

test.runIf(namespaces)('scripts/test runs the tests in a network of their own, as the same user', async () => {
  using checkout = new Checkout()
  for (const tool of ['env', 'id', 'ip', 'mktemp', 'setpriv', 'sh', 'unshare']) checkout.link(tool)
  checkout.command('vitest', 'readlink /proc/self/ns/net; id -u; ip -o address')
  const { stdout, stderr } = await checkout.start(join(checkout.root, 'scripts/test')).ended
  const [network, user, ...addresses] = stdout.trim().split('\n')
  expect(stderr).not.toContain('WARNING')
  expect(network).toMatch(/^net:/)
  expect(network).not.toBe(readlinkSync('/proc/self/ns/net'))
  expect(user).toBe(String(process.getuid?.()))
  expect(addresses.join('\n')).toContain('127.0.0.1/8')
  expect(addresses.filter((line) => !/ lo /.test(line))).toEqual([])
})
