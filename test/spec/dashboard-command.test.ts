import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { follow } from '../support/browser-login.ts'
import { eventually } from '../support/eventually.ts'
import { Installation } from '../support/program.ts'

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
  const printed = await iris.run(['dashboard', '--no-open'], { env })
  expect(printed).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(link),
    stderr: expect.stringContaining('works once'),
  })
  const nowhere = await iris.run(['dashboard'], { env: { ...env, DISPLAY: '' } })
  expect(nowhere).toMatchObject({ code: 0, stderr: expect.stringContaining('Open it in a browser.') })
  expect(existsSync(browser.opened)).toBe(false)

  const shown = await iris.run(['dashboard'], { env })
  expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining('Opening it in your browser.') })
  expect(await eventually(() => existsSync(browser.opened) && readFileSync(browser.opened, 'utf8'), 'a browser')).toBe(
    shown.stdout,
  )
})

test('inside an agent there is no link, and no daemon is started', async () => {
  await using iris = await Installation.create()
  const { code, stdout, stderr } = await iris.run(['dashboard'], { env: { IRIS_PROCESS: 'x.y' } })
  expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
  expect(stderr).toContain('This runs inside an agent of Iris')
  expect(iris.daemon()).toBeUndefined()
})
