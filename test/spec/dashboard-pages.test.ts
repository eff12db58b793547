import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Tab, TestBrowser } from '../support/browser.ts'
import { type ConnectedWorld, connectedWorld } from '../support/connected-world.ts'
import { eventually } from '../support/eventually.ts'
import { count } from '../support/page-waits.ts'
import { connectedPages, phonePicture, type ShownPage, shownPages } from '../support/shown-pages.ts'
import { type ShownWorld, shownWorld } from '../support/shown-world.ts'
import { firstIn } from '../support/tier.ts'

let shown: ShownWorld
let browser: TestBrowser
beforeAll(async () => {
  ;[shown, browser] = await Promise.all([shownWorld(), TestBrowser.start()])
}, 120_000)
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await shown[Symbol.asyncDispose]()
})

const views = [
  { width: 1440, height: 900, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
  { width: 1024, height: 768, colorScheme: 'light' },
  { width: 1440, height: 900, colorScheme: 'dark' },
  { width: 390, height: 844, colorScheme: 'light' },
  { width: 1024, height: 768, colorScheme: 'dark' },
] as const

const shownViews = firstIn<(typeof views)[number]>(views)

test('at every width and in both colours every page with everything on it fits and keeps nobody out', {
  timeout: 300_000,
}, async () => {
  await using tab = await browser.open(shown.iris)
  for (const page of shownPages(shown)) {
    await show(tab, page)
    for (const view of shownViews) {
      expect(await look(tab, page, view)).toEqual(nothing)
      if (view === views[0] && page.picture !== undefined) await tab.keepPicture(page.picture)
      if (view === views[1] && page.picture === 'inbox') await tab.keepPicture(phonePicture)
    }
  }
  expect(tab.troubles).toEqual([])
})

describe('hosts, channels and a chat in use', () => {
  let connected: ConnectedWorld
  beforeAll(async () => {
    connected = await connectedWorld()
  }, 120_000)
  afterAll(() => connected[Symbol.asyncDispose]())

  test('fit at every width and in both colours, and keep nobody out', async () => {
    await using tab = await browser.open(connected.iris)
    for (const page of connectedPages) {
      await show(tab, page)
      for (const view of shownViews) expect(await look(tab, page, view)).toEqual(nothing)
    }
    expect(tab.troubles).toEqual([])
  })
})

const nothing = { fits: true, barriers: [] }

async function show(tab: Tab, { path, shows }: ShownPage): Promise<void> {
  await tab.page.goto(tab.address + path)
  await tab.live()
  await tab.page.getByText(shows).locator('visible=true').first().waitFor()
}

/** Whether a page that is shown fits the window as a person makes it, and what keeps people out. */
async function look(tab: Tab, { path, shows }: ShownPage, { width, height, colorScheme }: (typeof views)[number]) {
  await tab.page.setViewportSize({ width, height })
  await tab.page.emulateMedia({ colorScheme })
  await tab.page.locator(`html[data-theme=${colorScheme}]`).waitFor()
  // The page has drawn itself for the new size.
  await tab.page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
  await tab.page.getByText(shows).locator('visible=true').first().waitFor()
  const place = `${path} at ${width} in ${colorScheme}`
  const fits = await tab.fitsWidth()
  return { fits, barriers: (await tab.barriers('moderate')).map((barrier) => `${place}: ${barrier}`) }
}

test('at 1024 no column of the switchboard is cut, and the way into each row is in sight', async () => {
  await using tab = await browser.open(shown.iris, { path: '/switchboard', width: 1024, height: 768 })
  const frame = (await tab.page.getByRole('region', { name: 'Conversations' }).boundingBox())!
  const menu = tab.page.getByRole('button', { name: /^Actions for/ })
  await menu.first().waitFor()
  const menus = await menu.all()
  const boxes = await Promise.all(menus.map((menu) => menu.boundingBox()))
  expect(boxes.length).toBeGreaterThan(3)
  expect(boxes.filter((box) => box === null || box.x + box.width > frame.x + frame.width)).toEqual([])
  const hidden = await tab.page.evaluate(`(() => {
    const { scrollWidth, clientWidth } = document.querySelector('section[aria-label="Conversations"]')
    return scrollWidth - clientWidth
  })()`)
  expect(hidden).toBe(0)
})

test('the list of conversations says of each what the inbox says', async () => {
  await using tab = await browser.open(shown.iris, { path: '/conversations', width: 1440, height: 900 })
  const list = tab.page.getByRole('list', { name: 'Conversations' })
  const rows: readonly (readonly [pair: RegExp, state: string])[] = [
    [/frontend.*mobile/, 'waiting for you'],
    [/mobile.*backend/, 'failed'],
    [/mobile.*docs/, 'working'],
  ]
  for (const [pair, state] of rows) {
    const row = list.getByRole('listitem').filter({ hasText: pair })
    await count(row.getByText(state, { exact: true }), 1)
  }
})

test('traces and the turns of a conversation say of a turn what its conversation says', async () => {
  await using tab = await browser.open(shown.iris, { path: '/traces', width: 1440, height: 900 })
  const { page } = tab
  const rows: readonly (readonly [pair: RegExp, state: string])[] = [
    [/frontend.*mobile/, 'waiting for you'],
    [/mobile.*backend/, 'failed'],
    [/mobile.*docs/, 'working'],
  ]
  for (const [pair, state] of rows) {
    const row = page.getByRole('listitem').filter({ hasText: pair })
    await count(row.getByText(state, { exact: true }), 1)
  }
  await page.getByRole('link', { name: /frontend.*mobile/ }).click()
  await page.getByRole('button', { name: /frontend asked mobile waiting for you/ }).click()
  await page.getByRole('link', { name: 'Open the conversation' }).click()
  await page.getByRole('article').getByText('waiting for you', { exact: true }).waitFor()
})

/** How often the person clicks while `work` continues. */
async function clicksOf(page: Page, work: () => Promise<void>): Promise<number> {
  await page.evaluate(`
    if (window.clicks === undefined) addEventListener('click', ({ isTrusted }) => { if (isTrusted) window.clicks += 1 }, { capture: true })
    window.clicks = 0`)
  await work()
  return page.evaluate('window.clicks')
}

const section = ({ page }: Tab, name: string) => page.getByRole('region', { name, exact: true })

test('each main job takes the clicks that it should', async () => {
  await using tab = await browser.open(shown.iris, { width: 1440, height: 900 })
  const { page } = tab
  const clicks: Record<string, number> = {}
  const home = async (): Promise<void> => {
    await page.goto(`${tab.address}/`)
    await section(tab, 'Waiting for you').waitFor()
  }
  await home()
  clicks['open a conversation'] = await clicksOf(page, async () => {
    await section(tab, 'Working').getByRole('link').first().click()
    await page.getByText('I begin with the checkout.').waitFor()
  })
  await home()
  clicks['message a team that was never asked'] = await clicksOf(page, async () => {
    await page.getByRole('button', { name: 'Message… mobile' }).click()
    await page.keyboard.type('Which pages show prices?')
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
    await page.getByText(/The cart rounds once/).waitFor()
  })
  await page.goto(`${tab.address}/logs`)
  await tab.live()
  clicks['find an old answer, after typing'] = await clicksOf(page, async () => {
    await page.keyboard.press('/')
    await page.keyboard.type('vouchers')
    await page.getByRole('option', { name: /docs answers backend/ }).click()
    await page.getByText(/prices in five currencies/).waitFor()
  })
  await home()
  clicks['retry a failure'] = await clicksOf(page, async () => {
    await section(tab, 'Failed').getByRole('button', { name: 'Retry' }).click()
    await eventually(() => shown.iris.rows('SELECT * FROM retries').length === 1, 'it is sent once more')
  })
  await page.goto(`${tab.address}/`)
  clicks['answer a question where it is seen'] = await clicksOf(page, async () => {
    await section(tab, 'Waiting for you').getByRole('button', { name: 'Allow once' }).click()
    await section(tab, 'Waiting for you').waitFor({ state: 'detached' })
  })
  await page.getByRole('button', { name: 'Message… docs' }).click()
  await page.keyboard.type('Translate the new texts.')
  await page.keyboard.press('Control+Enter')
  await page.getByText('I begin with the checkout.').waitFor()
  clicks['stop'] = await clicksOf(page, async () => {
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('cancelled', { exact: true }).waitFor()
  })
  expect(clicks).toEqual({
    'open a conversation': 1,
    'message a team that was never asked': 2,
    'find an old answer, after typing': 1,
    'retry a failure': 1,
    'answer a question where it is seen': 1,
    stop: 1,
  })
  expect(tab.troubles).toEqual([])
})
