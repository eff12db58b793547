import type { Page } from 'playwright-core'
import { TestBrowser } from '../test/support/browser.ts'
import { DaemonProcess } from '../test/support/daemon-process.ts'
import { usedWorld } from '../test/support/used-world.ts'
import type { Row } from './row.ts'

/** As slow as an older telephone. */
const slowdown = 4

/** Each begins with an empty page, and ends when the person sees what was asked for. */
const jobs: readonly (readonly [what: string, path: string, work: (page: Page) => Promise<void>])[] = [
  ['inbox', '/', async (page) => page.locator('[data-session]').first().waitFor()],
  ['switchboard', '/switchboard', async (page) => page.locator('tr[data-session]').first().waitFor()],
  [
    'switchboard, scrolled to its end',
    '/switchboard',
    async (page) => {
      await page.locator('tr[data-session]').first().waitFor()
      await page.keyboard.press('End')
      await page.mouse.move(640, 700)
      for (let turn = 0; turn < 20; turn += 1) await page.mouse.wheel(0, 5000)
    },
  ],
  ['conversations', '/conversations', async (page) => page.getByRole('listitem').first().waitFor()],
  ['traces', '/traces', async (page) => page.getByText('a question').first().waitFor()],
  [
    'search from the inbox',
    '/',
    async (page) => {
      await page.locator('[data-session]').first().waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('answer')
      await page.getByRole('option').first().waitFor()
    },
  ],
  ['statistics', '/statistics', async (page) => page.getByText('Messages as a table').waitFor()],
]

/** P12b: how long the dashboard of an Iris with ten thousand conversations answers no key, on a slow processor. */
export async function longTasks(): Promise<readonly Row[]> {
  await using world = await usedWorld({ teams: 60, sessions: 10_000, turnsEach: 2 })
  await using daemon = await DaemonProcess.start(world)
  await using browser = await TestBrowser.start()
  const owned = { port: daemon.port, token: daemon.token, world }
  const rows: Row[] = []
  for (const [what, path, work] of jobs) {
    await using tab = await browser.open(owned, { path: '/logs' })
    const session = await tab.page.context().newCDPSession(tab.page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    await tab.page.addInitScript(`
      window.tasks = []
      new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => duration)))
        .observe({ type: 'longtask', buffered: true })`)
    await tab.page.goto(tab.address + path)
    await work(tab.page)
    await tab.live()
    const tasks: number[] = await tab.page.evaluate('window.tasks')
    const longest = Math.round(Math.max(0, ...tasks))
    rows.push({
      id: 'P12b',
      what: `longest task, 10 000 conversations, 4 times slower: ${what}`,
      measured: `${longest} ms (${tasks.filter((ms) => ms > 100).length} over 100 ms)`,
      aim: '≤ 100 ms',
      data: { longest, tasks },
    })
  }
  return rows
}
