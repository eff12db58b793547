import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { follow } from '../support/browser-login.ts'
import { eventually } from '../support/eventually.ts'
import { plainHttp } from '../support/plain-http.ts'
import { Installation } from '../support/program.ts'
import { runCommand } from '../support/run-command.ts'

const link = /^http:\/\/127\.0\.0\.1:\d+\/login\?code=[\w-]{43}\n?$/

/** An `xdg-open` that writes down what it is told to open, and the PATH on which it is found. */
function browserIn(root: string) {
  const [bin, opened] = [join(root, 'bin'), join(root, 'opened')]
  mkdirSync(bin)
  writeFileSync(
    join(bin, 'xdg-open'),
    `#!/bin/sh\nprintf '%s\\n' "$@" >'${opened}.new' && mv '${opened}.new' '${opened}'\n`,
  )
  chmodSync(join(bin, 'xdg-open'), 0o755)
  return { opened, env: (path = '') => ({ PATH: `${bin}:${path}`, DISPLAY: ':0' }) }
}

test('iris dashboard starts a daemon when none runs, and prints a link that lets a browser in', async () => {
  await using iris = await Installation.create()
  const { code, stdout } = await iris.run(['dashboard', '--json'])
  const { url, expiresInMs } = JSON.parse(stdout)
  expect({ code, url, expiresInMs }).toEqual({ code: 0, url: expect.stringMatching(link), expiresInMs: 60_000 })
  const { port, pathname, search } = new URL(url)
  const endpoint = { port: Number(port) }
  expect(await follow(endpoint, pathname + search)).toMatchObject({ status: 303 })

  const browser = browserIn(iris.world.root)
  const env = browser.env(iris.env['PATH'])
  const printed = await runCommand(iris.world, ['dashboard', '--no-open'], { env })
  expect(printed).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(link),
    stderr: expect.stringContaining('works once'),
  })
  const nowhere = await runCommand(iris.world, ['dashboard'], { env: { ...env, DISPLAY: '' } })
  expect(nowhere).toMatchObject({ code: 0, stderr: expect.stringContaining('Open it in a browser.') })
  expect(existsSync(browser.opened)).toBe(false)

  const shown = await runCommand(iris.world, ['dashboard'], { env })
  expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining('Opening it in your browser.') })
  expect(await eventually(() => existsSync(browser.opened) && readFileSync(browser.opened, 'utf8'), 'a browser')).toBe(
    shown.stdout,
  )
})

test('iris dashboard --public makes a link for another machine; iris login list lists who followed it, and signs out', async () => {
  await using iris = await Installation.create()
  expect(await iris.run(['dashboard', '--public'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('settings.publicUrl of config.yaml is not set'),
  })
  await runCommand(iris.world, ['config', 'set', 'settings.publicUrl', 'https://iris.example.org'])
  const link = /^https:\/\/iris\.example\.org\/login\?code=[\w-]{43}\n$/
  const made = await eventually(async () => {
    const ended = await runCommand(iris.world, ['dashboard', '--public'])
    return ended.code === 0 && ended
  }, 'the setting is in force')
  expect(made).toMatchObject({ stdout: expect.stringMatching(link), stderr: expect.stringContaining('ten minutes') })
  expect(await iris.run(['logins'])).toMatchObject({ code: 0, stdout: 'No browser is signed in.\n' })

  const forAna = await iris.run(['login', '--name', 'ana', '--public'])
  expect(forAna).toMatchObject({
    stdout: expect.stringMatching(link),
    stderr: expect.stringContaining('ana can sign in'),
  })
  expect(await runCommand(iris.world, ['login'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--name ana'),
  })
  expect(await runCommand(iris.world, ['login', '--name', 'ana', '--role', 'boss'])).toMatchObject({
    code: 8,
    stderr: expect.stringContaining('There is no role "boss"'),
  })

  const [host, origin] = ['iris.example.org', 'https://iris.example.org']
  const { port } = iris.daemon()!
  const body = new URL(made.stdout).search.slice(1)
  const form = { host, origin, 'content-type': 'application/x-www-form-urlencoded' }
  const { status, headers } = await plainHttp(port, 'POST', '/login', { ...form, 'user-agent': 'Odd Browser' }, body)
  const cookie = headers['set-cookie']![0]!.split(';', 1)[0]!
  expect(status).toBe(303)
  const listed = await runCommand(iris.world, ['logins', 'list'])
  expect(listed.stdout).toMatch(
    /^[\da-f]{8}  you  Odd Browser  https:\/\/iris\.example\.org  since 20.*last used 20.*\n$/,
  )
  const read = () => plainHttp(port, 'GET', '/api/teams', { host, cookie })
  expect((await read()).status).toBe(200)
  expect(await iris.run(['logins', 'revoke', 'abcd1234'])).toMatchObject({ code: 8 })
  expect(await runCommand(iris.world, ['logins', 'revoke', listed.stdout.slice(0, 8)])).toMatchObject({
    code: 0,
    stdout: 'The browser was signed out.\n',
  })
  expect((await read()).status).toBe(401)
})

test('inside an agent there is no link, and no daemon is started', async () => {
  await using iris = await Installation.create()
  const { code, stdout, stderr } = await runCommand(iris.world, ['dashboard'], { env: { IRIS_PROCESS: 'x.y' } })
  expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
  expect(stderr).toContain('This runs inside an agent of Iris')
  expect(iris.daemon()).toBeUndefined()
})
