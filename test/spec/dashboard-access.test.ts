import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestBrowser } from '../support/browser.ts'
import { newLink } from '../support/browser-login.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'

let iris: TestIris
let browser: TestBrowser
beforeAll(async () => {
  iris = await TestIris.start({ claude: 'fake', teams: { backend: {} } })
  browser = await TestBrowser.start()
})
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await iris[Symbol.asyncDispose]()
})

test('a link opens the dashboard, and stays neither in the history nor in the address', async () => {
  await using tab = await browser.open(iris)
  await tab.live()
  expect(new URL(tab.page.url()).pathname).toBe('/')
  const [cookie, ...others] = await tab.page.context().cookies()
  expect(others).toEqual([])
  expect(cookie).toMatchObject({
    name: `iris-${iris.port}`,
    httpOnly: true,
    sameSite: 'Strict',
    path: '/',
    expires: -1,
  })
  expect(await tab.page.evaluate('document.cookie')).toBe('')
  await tab.page.goBack()
  expect(tab.page.url()).toBe('about:blank')
  expect(tab.troubles).toEqual([])
})

test('a link that was used opens nothing, and the page says what to do', async () => {
  const link = await newLink(iris)
  await using tab = await browser.open(iris)
  await tab.page.goto(tab.address + link)
  await tab.page.context().clearCookies()
  await tab.page.goto(tab.address + link)
  await tab.page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
  await tab.page.getByText('iris dashboard', { exact: true }).waitFor()
  await tab.page.goto(tab.address)
  await tab.page.getByRole('heading', { name: 'Sign in to Iris' }).waitFor()
  expect(await tab.barriers()).toEqual([])
})

/** What a page tries against the dashboard at `target`; each becomes a sentence of what came of it. */
const attacks = `async (target) => {
  const outcomes = {}
  const tried = async (name, attempt) => (outcomes[name] = await attempt().catch((error) => 'failed: ' + error.name))
  const call = (path, init) => fetch(target + path, { credentials: 'include', ...init }).then((answer) => answer.type)
  const loaded = (element) => new Promise((resolve, reject) => {
    element.onload = () => resolve('loaded')
    element.onerror = () => reject(new Error('no'))
    document.body.append(element)
  })
  const element = (name, attributes) => Object.assign(document.createElement(name), attributes)
  const submitted = (enctype) => {
    const frame = element('iframe', { name: 'into-' + enctype })
    const form = element('form', { method: 'POST', action: target + '/stop', target: frame.name, enctype })
    document.body.append(frame, form)
    const answered = new Promise((resolve) => (frame.onload = () => resolve('loaded')))
    form.submit()
    return answered
  }
  await tried('read', () => call('/api/permissions'))
  await tried('read blindly', () => call('/api/permissions', { mode: 'no-cors' }))
  await tried('stop', () => call('/stop', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }))
  await tried('stop blindly', () => call('/stop', { method: 'POST', mode: 'no-cors', body: '{}' }))
  await tried('form', () => submitted('application/x-www-form-urlencoded'))
  await tried('form of text', () => submitted('text/plain'))
  await tried('log in', () => call('/login?code=guess', { mode: 'no-cors' }))
  await tried('image', () => loaded(element('img', { src: target + '/icon.svg' })))
  await tried('script', () => loaded(element('script', { src: target + '/api/openapi.json' })))
  await tried('frame', () => loaded(element('iframe', { src: target + '/', name: 'framed' })))
  await tried('socket', () => new Promise((resolve, reject) => {
    const socket = new WebSocket(target.replace('http', 'ws') + '/api/stream')
    socket.onopen = () => resolve('open')
    socket.onerror = () => reject(new Error('no'))
  }))
  await tried('events', () => new Promise((resolve, reject) => {
    const source = new EventSource(target + '/api/stream', { withCredentials: true })
    source.onopen = () => resolve('open')
    source.onerror = () => { source.close(); reject(new Error('no')) }
  }))
  return outcomes
}`

/** A page of someone else's, on its own port. */
async function elsewhere(): Promise<{ port: number } & AsyncDisposable> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>elsewhere</title><body></body>')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** `127.0.0.1` is the same site as the dashboard, whatever the port, so that its cookie is sent; `localhost` is not. */
test.each(['127.0.0.1', 'localhost'])('a page on another port of %s can do nothing with it', async (host) => {
  await using other = await elsewhere()
  await using tab = await browser.open(iris)
  const page = await tab.page.context().newPage()
  const answers = await answersOf(page, iris.port)
  await page.goto(`http://${host}:${other.port}/`)
  const outcomes = await page.evaluate(`(${attacks})('${tab.address}')`)
  expect(outcomes).toEqual({
    read: 'failed: TypeError',
    stop: 'failed: TypeError',
    'read blindly': 'failed: TypeError',
    'stop blindly': 'failed: TypeError',
    'log in': 'failed: TypeError',
    image: 'failed: Error',
    script: 'failed: Error',
    frame: 'loaded',
    form: 'loaded',
    'form of text': 'loaded',
    socket: 'failed: Error',
    events: 'failed: Error',
  })
  // Each attempt has reached Iris, with the cookie where a browser sends it, and was refused there.
  const cookie = host === '127.0.0.1'
  const attacked = ['/api/permissions', '/stop', '/login', '/icon.svg', '/api/openapi.json', '/', '/api/stream']
  await eventually(() => {
    const known = answers().map(({ path }) => path)
    return attacked.every((path) => known.includes(path)) && known.filter((path) => path === '/stop').length >= 3
  }, 'all are answered')
  expect(answers().filter(({ status }) => status !== 403)).toEqual([])
  expect(answers().some((each) => each.path === '/api/permissions' && each.cookie)).toBe(cookie)

  const [opened] = await Promise.all([
    page.waitForEvent('popup'),
    page.evaluate(`void window.open('${tab.address}/daemon')`),
  ])
  await opened.getByText('not_allowed').waitFor()
  await tab.page.reload()
  await tab.live()
})

/** Iris's responses to a page's requests, even if the browser hides them from the page. */
async function answersOf(page: Page, port: number): Promise<() => { path: string; status: number; cookie: boolean }[]> {
  // What the network says of a request may come before what the page says of it.
  const [paths, statuses, withCookie] = [new Map<string, string>(), new Map<string, number>(), new Set<string>()]
  const noted = (requestId: string, address: string): void => {
    const url = new URL(address)
    if (Number(url.port) === port) paths.set(requestId, url.pathname)
  }
  const browser = await page.context().newCDPSession(page)
  browser.on('Network.requestWillBeSent', ({ requestId, request }) => noted(requestId, request.url))
  browser.on('Network.webSocketCreated', ({ requestId, url }) => noted(requestId, url))
  browser.on('Network.requestWillBeSentExtraInfo', ({ requestId, headers }) => {
    if (Object.keys(headers).some((name) => name.toLowerCase() === 'cookie')) withCookie.add(requestId)
  })
  browser.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) => statuses.set(requestId, statusCode))
  await browser.send('Network.enable')
  return () =>
    [...paths].flatMap(([id, path]) => {
      const status = statuses.get(id)
      return status === undefined ? [] : [{ path, status, cookie: withCookie.has(id) }]
    })
}
