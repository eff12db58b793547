import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { overloadedFailure, type Script } from '../../src/app/demo/script.ts'
import { type Tab, TestBrowser } from '../support/browser.ts'
import { publicLink } from '../support/browser-login.ts'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { obedient } from '../support/obedient.ts'
import { questionOf } from '../support/owner.ts'
import { count } from '../support/page-waits.ts'
import { plainHttp } from '../support/plain-http.ts'
import { tlsProxy } from '../support/tls-proxy.ts'
import { spoken } from '../support/world.ts'

const host = 'iris.example.org'
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, ignoreHTTPSErrors: true }

let iris: TestIris
let proxy: Awaited<ReturnType<typeof tlsProxy>>
let browser: TestBrowser
let tab: Tab
let page: Page
beforeAll(async () => {
  const docs = { env: { CLAUDE_CODE_MAX_RETRIES: '0' } }
  const script: Script = (request) =>
    spoken(request.conversation.lastUserText) === 'fails' ? overloadedFailure : obedient(request)
  iris = await TestIris.start({ claude: 'fake', script, teams: { backend: { grantPermission: 'ask' }, docs } })
  proxy = await tlsProxy(host, iris.port)
  iris.world.writeConfig({ settings: { publicUrl: `https://${host}:${proxy.port}` } })
  browser = await TestBrowser.start([`--host-resolver-rules=MAP ${host} 127.0.0.1`, '--ignore-certificate-errors'])
  tab = await browser.empty(`https://${host}:${proxy.port}`, { ...phone, permissions: ['notifications'] })
  page = tab.page
})
afterAll(async () => {
  await tab[Symbol.asyncDispose]()
  await browser[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
  await iris[Symbol.asyncDispose]()
})

const ofTests = ['in-incognito', 'not-from-secure-origin']

/** From the top of the screen: 1 is its bottom. */
async function heightOf(locator: ReturnType<Page['getByRole']>): Promise<number> {
  const box = await locator.boundingBox()
  return (box!.y + box!.height / 2) / phone.viewport.height
}

test('through a proxy with TLS a link opens the dashboard by one tap, live', async () => {
  await page.goto(await publicLink(iris))
  expect(await tab.barriers('moderate')).toEqual([])
  await page.getByRole('button', { name: 'Sign in' }).tap()
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  await tab.live()
  const [cookie] = await page.context().cookies()
  expect(cookie).toMatchObject({ name: '__Host-iris', secure: true, httpOnly: true, sameSite: 'Strict' })
  expect(new URL(page.url()).search).toBe('')
  expect(await tab.fitsWidth()).toBe(true)
  expect(tab.troubles).toEqual([])
})

test('the page can be installed: the browser finds nothing that is missing', async () => {
  const session = await page.context().newCDPSession(page)
  const { url, errors } = await session.send('Page.getAppManifest')
  expect({ url, errors }).toEqual({ url: `${tab.address}/manifest.webmanifest`, errors: [] })
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors')
  // A tab of a test is in a private window, and its certificate is made here; nothing else is missing.
  expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => !ofTests.includes(id))).toEqual([])
  const sizes: { stated: string; real: string; isSmall: boolean }[] = await page.evaluate(`(async () => {
    const manifest = await fetch('/manifest.webmanifest', { credentials: 'omit' }).then((answer) => answer.json())
    const pictures = manifest.icons.filter(({ type }) => type === 'image/png')
    return Promise.all(
      pictures.map(async ({ src, sizes: stated }) => {
        const file = await fetch(src, { credentials: 'omit' }).then((answer) => answer.blob())
        const { width, height } = await createImageBitmap(file)
        return { stated, real: width + 'x' + height, isSmall: file.size < 25_000 }
      }),
    )
  })()`)
  expect(sizes).toHaveLength(3)
  for (const { stated, real, isSmall } of sizes) expect({ real, isSmall }).toEqual({ real: stated, isSmall: true })
})

test('a notification is off until it is switched on; a tap on it opens its question, whose answer is one tap', async () => {
  await page.getByRole('button', { name: 'Open the menu' }).tap()
  expect(await heightOf(page.getByRole('button', { name: 'Close the menu' }))).toBeGreaterThan(0.66)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Permissions' }).tap()
  const wish = page.getByRole('checkbox', { name: 'Desktop notifications' })
  await page.getByRole('checkbox', { name: 'Desktop notifications', checked: false }).waitFor()
  expect(page.context().serviceWorkers()).toEqual([])
  const started = page.context().waitForEvent('serviceworker')
  await wish.tap()
  const worker = await started
  await page.getByRole('checkbox', { name: 'Desktop notifications', checked: true }).waitFor()
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')

  await page.goto(`${tab.address}/logs`)
  await tab.live()
  await page.evaluate('document.hasFocus = () => false')
  const answered = ask(iris, 'backend', 'run touch one.txt', { timeout: 0 })
  const permission = await questionOf(iris, 'backend')
  const shown = () => worker.evaluate('self.registration.getNotifications().then((all) => all.map(({ tag }) => tag))')
  await eventually(async () => ((await shown()) as string[]).includes(permission.permissionId), 'it is shown')
  await worker.evaluate(
    `self.registration.getNotifications().then(([notification]) =>
      self.dispatchEvent(new NotificationEvent('notificationclick', { notification })))`,
  )
  await page.waitForURL(`**/permissions?question=${permission.permissionId}`)
  const allow = page.getByRole('button', { name: 'Allow once' })
  await allow.waitFor()
  expect(await page.evaluate('document.activeElement.dataset.permission')).toBe(permission.permissionId)
  expect(await tab.fitsWidth()).toBe(true)
  expect(await tab.barriers('moderate')).toEqual([])
  await allow.tap()
  expect((await answered).status).toBe('completed')
  expect(tab.troubles).toEqual([])
})

test('a message that failed is notified once; a tap on that opens its conversation', async () => {
  await page.goto(`${tab.address}/logs`)
  await tab.live()
  await page.evaluate('document.hasFocus = () => false')
  const [worker] = page.context().serviceWorkers()
  const { turnId, sessionId } = await ask(iris, 'docs', 'fails')
  const shown = `self.registration.getNotifications({ tag: '${turnId}' })`
  const titles = () => worker!.evaluate(`${shown}.then((all) => all.map(({ title, body }) => [title, body]))`)
  await eventually(async () => ((await titles()) as []).length > 0, 'it is shown')
  expect(await titles()).toEqual([['docs gave no answer: the message failed', 'Asked by you']])
  await worker!.evaluate(
    `${shown}.then(([notification]) =>
      self.dispatchEvent(new NotificationEvent('notificationclick', { notification })))`,
  )
  await page.waitForURL(`**/conversations/${sessionId}?turn=${turnId}`)
  await page.getByRole('button', { name: 'Retry' }).waitFor()
  expect(tab.troubles).toEqual([])
})

test('a message is written on the whole width, with all of its field above the bar, and no key is named', async () => {
  const question = ask(iris, 'backend', 'run touch two.txt', { timeout: 0 })
  const { sessionId, permissionId } = await questionOf(iris, 'backend')
  await page.goto(`${tab.address}/conversations/${sessionId}`)
  await page.getByRole('button', { name: 'Allow once' }).waitFor()
  const box = async (locator: ReturnType<Page['getByRole']>) => (await locator.boundingBox())!
  const field = await box(page.getByRole('textbox', { name: 'Message to backend' }))
  expect(field.width).toBeGreaterThan(phone.viewport.width - 30)
  const send = await box(page.getByRole('button', { name: 'Send' }))
  const bar = await box(page.getByRole('banner'))
  expect(send.y + send.height).toBeLessThanOrEqual(bar.y)
  expect(await page.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true)
  await count(page.locator('kbd:visible'), 0)
  await page.getByRole('button', { name: 'Deny' }).tap()
  await page.locator(`[data-permission="${permissionId}"]`).waitFor({ state: 'detached' })
  await question
  expect(tab.troubles).toEqual([])
})

test('the page lists the signed-in browsers, and one that is signed out elsewhere says so at once', async () => {
  await page.goto(`${tab.address}/permissions`)
  await tab.live()
  await page.getByText('Signed-in browsers').tap()
  const row = page.getByRole('list', { name: 'Signed-in browsers' }).getByRole('listitem')
  await row.filter({ hasText: '(this one)' }).filter({ hasText: host }).waitFor()
  expect(await tab.barriers('moderate')).toEqual([])
  const headers = { authorization: `Bearer ${iris.world.owner()}` }
  const revoked = await plainHttp(iris.port, 'POST', '/api/logins/all/revoke', headers)
  expect(JSON.parse(revoked.body)).toEqual({ revoked: 1 })
  await page.getByText('You are signed out.').waitFor()
})
