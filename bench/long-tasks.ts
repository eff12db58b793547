import type { Page } from 'playwright-core'
import { TestBrowser } from '../test/support/browser.ts'
import { DaemonProcess } from '../test/support/daemon-process.ts'
import { usedWorld } from '../test/support/used-world.ts'
import type { Row } from './row.ts'

/** As slow as an older telephone. */
const slowdown = 4
const rounds = 3

const shows =
  (selector: string) =>
  (page: Page): Promise<void> =>
    page.locator(selector).first().waitFor()

/** Each begins with an empty page, and ends when the person sees what was asked for. */
const jobs: readonly (readonly [what: string, path: string, work: (page: Page) => Promise<void>])[] = [
  ['inbox', '/', shows('[data-session]')],
  ['switchboard', '/switchboard', shows('tr[data-session]')],
  [
    'switchboard, scrolled to its end',
    '/switchboard',
    async (page) => {
      await shows('tr[data-session]')(page)
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
      await shows('[data-session]')(page)
      await page.keyboard.press('/')
      await page.keyboard.type('answer')
      await page.getByRole('option').first().waitFor()
    },
  ],
  ['statistics', '/statistics', async (page) => page.getByText('Messages as a table').waitFor()],
]

const counts = [20, 10_000]

/** P12b: the longest time in which the dashboard of an Iris with ten thousand conversations takes no key, on a slow processor. */
export async function longTasks(): Promise<readonly Row[]> {
  await using browser = await TestBrowser.start()
  const longest = []
  for (const sessions of counts) longest.push(await longestTasks(browser, sessions))
  const [few, many] = longest as [readonly number[], readonly number[]]
  return jobs.map(([what], at) => ({
    id: 'P12b',
    what: `longest task, ${slowdown} times slower, ${counts[1]} conversations: ${what}`,
    measured: `${many[at]} ms; ÷ ${counts[0]} conversations: ${(many[at]! / few[at]!).toFixed(2)}`,
    aim: '≤ 100 ms',
    data: { few: few[at], many: many[at] },
  }))
}

/** Of each job, milliseconds: the least of some rounds, because whatever else the machine does only adds to it. */
async function longestTasks(browser: TestBrowser, sessions: number): Promise<readonly number[]> {
  await using world = await usedWorld({ teams: 60, sessions, turnsEach: 2 })
  await using daemon = await DaemonProcess.start(world)
  const owned = { port: daemon.port, token: daemon.token, world }
  const least = jobs.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, [, path, work]] of jobs.entries()) {
      await using tab = await browser.open(owned, { path: '/logs' })
      const session = await tab.page.context().newCDPSession(tab.page)
      await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
      await tab.page.addInitScript(`
        window.longest = 0
        new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration) })
          .observe({ type: 'longtask', buffered: true })`)
      await tab.page.goto(tab.address + path)
      await work(tab.page)
      await tab.live()
      least[at] = Math.min(least[at]!, Math.round(await tab.page.evaluate('window.longest')))
    }
  }
  return least
}
