import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TestBrowser } from '../support/browser.ts'
import { TestIris } from '../support/iris.ts'
import { reads } from '../support/page-waits.ts'
import { isBrief } from '../support/tier.ts'

let browser: TestBrowser
beforeAll(async () => {
  browser = await TestBrowser.start()
})
afterAll(() => browser[Symbol.asyncDispose]())

const screens = [
  'Inbox',
  'Switchboard',
  'Conversations',
  'Traces',
  'Permissions',
  'Logs',
  'Health',
  'Statistics',
  'Configuration',
  'Debug',
]

const views = [
  ['dark', 360],
  ['light', 1920],
] as const
describe.each(isBrief ? views.slice(0, 1) : views)('in %s colours, %d pixels wide', (colorScheme, width) => {
  test('every screen is reached by keyboard, has one heading, fits, and keeps nobody out', async () => {
    await using iris = await TestIris.start()
    await using tab = await browser.open(iris, { width, colorScheme })
    const { page } = tab
    for (const name of screens) {
      if (width < 1024) await page.getByRole('button', { name: 'Open the menu' }).press('Enter')
      await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name }).press('Enter')
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
      expect(await page.title()).toBe(`${name} · Iris`)
      expect({ name, fits: await tab.fitsWidth() }).toEqual({ name, fits: true })
      expect({ name, barriers: await tab.barriers('moderate') }).toEqual({ name, barriers: [] })
    }
    expect(tab.troubles).toEqual([])
  })
})

test('the colours that a person chooses stay', async () => {
  await using iris = await TestIris.start()
  await using tab = await browser.open(iris, { colorScheme: 'light' })
  const { page } = tab
  await page.getByRole('button', { name: 'Switch to dark colours' }).click()
  await page.reload()
  await page.getByRole('button', { name: 'Switch to light colours' }).waitFor()
  await page.locator('html[data-theme=dark]').waitFor()
})

test('an address without a screen says so, and leads on', async () => {
  await using iris = await TestIris.start()
  await using tab = await browser.open(iris, { path: '/nowhere/at/all' })
  await tab.page.getByRole('link', { name: 'Go to the inbox' }).click()
  await tab.page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  expect(new URL(tab.page.url()).pathname).toBe('/')
})

test('one may have more tabs open than a browser has connections for an address', { tags: ['thorough'] }, async () => {
  await using iris = await TestIris.start()
  await using tab = await browser.open(iris, { path: '/debug' })
  const tabs = [tab]
  while (tabs.length < 8) tabs.push(await tab.another('/debug'))
  for (const each of tabs) {
    await each.live()
    expect(each.troubles).toEqual([])
  }
})

test('while Iris is away the page says so; it goes on by itself once Iris is back', async () => {
  await using iris = await TestIris.start()
  const port = iris.port
  await using tab = await browser.open(iris)
  await tab.live()
  iris.world.writeConfig({ settings: { httpPort: port } })
  await iris.restart()
  await tab.page.getByText("Iris isn't responding").waitFor({ state: 'hidden' })
  await tab.live()
  await iris.daemon.stop(0)
  await tab.page.getByText("Iris isn't responding").waitFor()
  const banner = tab.page.getByRole('banner')
  const [note, theme] = [banner.getByText('Disconnected'), banner.getByRole('button', { name: /colours$/ })]
  const [said, button] = [(await note.boundingBox())!, (await theme.boundingBox())!]
  expect(said.x + said.width).toBeLessThanOrEqual(button.x)
  const { scrollWidth, clientWidth } = await banner.evaluate((element) => ({
    scrollWidth: Number(Reflect.get(element, 'scrollWidth')),
    clientWidth: Number(Reflect.get(element, 'clientWidth')),
  }))
  expect(scrollWidth).toBe(clientWidth)

  // Who loads the page now learns the same, and has it back on its own.
  await tab.page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
  await tab.page.reload()
  await tab.page.getByRole('heading', { name: "Iris isn't responding" }).waitFor()
  expect(await tab.barriers('moderate')).toEqual([])
  await iris.restart()
  await tab.page.getByRole('heading', { name: 'Inbox' }).waitFor()
  expect(tab.troubles).toEqual([])
})

test('what is typed while the palette is still loading is in its field, and no key acts on the page', async () => {
  await using iris = await TestIris.start({ claude: 'fake' })
  await using tab = await browser.open(iris, { path: '/logs' })
  const { page } = tab
  const arrive = await holdLateParts(page)
  await page.goto(`${tab.address}/`)
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  await page.keyboard.press('/')
  await page.getByRole('dialog').getByRole('status').waitFor()
  await page.keyboard.type('go to')
  await Promise.all([arrive(), page.keyboard.type(' debug', { delay: 20 })])
  await page.getByRole('option', { name: 'Go to Debug' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Debug' }).waitFor()
  expect(tab.troubles).toEqual([])
})

test('what is typed while the dialog for a message is still loading is in the message, after the draft', async () => {
  await using iris = await TestIris.start({ claude: 'fake' })
  await using tab = await browser.open(iris, { path: '/logs' })
  const { page } = tab
  const arrive = await holdLateParts(page)
  await page.goto(`${tab.address}/`)
  const open = page.getByRole('button', { name: 'Message… backend' })
  await open.click()
  await page.getByRole('dialog').getByRole('status').waitFor()
  await page.keyboard.type('Which pages')
  await page.keyboard.press('Escape')
  await open.click()
  await page.keyboard.type(' show')
  await Promise.all([arrive(), page.keyboard.type(' the prices of vouchers?', { delay: 20 })])
  const field = page.getByRole('dialog').getByLabel('Message', { exact: true })
  await reads(field, 'value', 'Which pages show the prices of vouchers?')
  expect(tab.troubles).toEqual([])
})

/** Parts that are loaded after the first view wait for the returned function. */
async function holdLateParts(page: Page): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>()
  await page.route('**/opened-*.js', async (route) => {
    await held.promise
    await route.continue()
  })
  return () => {
    held.resolve()
    return page.getByRole('dialog').getByRole('status').waitFor({ state: 'detached' })
  }
}
