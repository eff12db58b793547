import { loginLink, TestBrowser } from '../test/support/browser.ts'
import { DaemonProcess } from '../test/support/daemon-process.ts'
import { usedWorld } from '../test/support/used-world.ts'
import { PlainPage } from './plain-page.ts'
import type { Row } from './row.ts'

/** As slow as an older telephone. */
const slowdown = 4
const rounds = 5

const has = (selector: string): string => `document.querySelector(${JSON.stringify(selector)}) !== null`
const says = (text: string): string => `document.querySelector('main')?.textContent.includes(${JSON.stringify(text)})`
const isLive = `document.querySelector('header [role=status]')?.textContent === 'Live'`

interface Job {
  readonly what: string
  readonly path: string
  /** An expression that is true once the person sees what was asked for. */
  readonly shown: string
  readonly also?: (page: PlainPage) => Promise<void>
}

/** A file that has no script: what Chromium itself takes for a new page. */
const scriptless = '/icon.svg'

/** Each begins with an empty page, and ends when nothing more is drawn. */
const jobs: readonly Job[] = [
  { what: 'a page without a script', path: scriptless, shown: 'true' },
  { what: 'the frame of all pages', path: '/nothing', shown: has('main h1') },
  { what: 'inbox', path: '/', shown: has('[data-session]') },
  { what: 'switchboard', path: '/switchboard', shown: has('tr[data-session]') },
  {
    what: 'switchboard, scrolled to its end',
    path: '/switchboard',
    shown: has('tr[data-session]'),
    also: async (page) => {
      await page.press('End', '')
      for (let turn = 0; turn < 20; turn += 1)
        await page.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x: 640, y: 700, deltaX: 0, deltaY: 5000 })
    },
  },
  { what: 'conversations', path: '/conversations', shown: has('main li') },
  { what: 'traces', path: '/traces', shown: says('a question') },
  {
    what: 'search from the inbox',
    path: '/',
    shown: has('[data-session]'),
    also: async (page) => {
      for (const key of '/answer'.split('')) await page.press(key)
      await page.until(has('[role=option]'))
    },
  },
  { what: 'statistics', path: '/statistics', shown: says('Lifetime as a table') },
]

const counts = [20, 10_000]

/** P12b: the longest time in which the dashboard of an Iris with ten thousand conversations takes no key, on a slow processor. */
export async function longTasks(): Promise<readonly Row[]> {
  await using browser = await TestBrowser.start()
  const longest = []
  for (const sessions of counts) longest.push(await longestTasks(browser, sessions))
  const [few, many] = longest as [readonly number[], readonly number[]]
  return jobs.map(({ what }, at) => ({
    id: 'P12b',
    what: `longest task, ${slowdown} times slower, ${counts[1]} conversations: ${what}`,
    measured: `${many[at]} ms; ${counts[0]} conversations: ${few[at]} ms`,
    aim: '≤ 100 ms',
    data: { few: few[at], many: many[at] },
  }))
}

/** Of each job, milliseconds: the least of some rounds, because whatever else the machine does only adds to it. */
async function longestTasks(browser: TestBrowser, sessions: number): Promise<readonly number[]> {
  await using world = await usedWorld({ teams: 60, sessions, turnsEach: 2 })
  await using daemon = await DaemonProcess.start(world)
  const owned = { port: daemon.port, token: daemon.token, world }
  // The first page has a checkout build the dashboard.
  await using built = await browser.open(owned, { path: '/logs' })
  await built.live()
  const least = jobs.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, job] of jobs.entries()) least[at] = Math.min(least[at]!, await longestOf(browser, owned, job))
  }
  return least
}

type Owned = Parameters<typeof loginLink>[0]

async function longestOf(browser: TestBrowser, owned: Owned, { path, shown, also }: Job): Promise<number> {
  await using page = await PlainPage.open(browser.itself)
  const here = `http://127.0.0.1:${owned.port}`
  const login = await fetch(await loginLink(owned), { redirect: 'manual' })
  await page.signIn(here, login.headers.getSetCookie())
  await page.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await page.send('Page.navigate', { url: here + path })
  await page.until(`location.pathname === ${JSON.stringify(path)} && ${shown}`)
  await also?.(page)
  if (path !== scriptless) await page.until(isLive)
  return Number(await page.evaluate(longestOnceDrawn))
}

/** Milliseconds, read once nothing has come to the page for a while. */
const longestOnceDrawn = `new Promise((done) => {
  const read = () => new PerformanceObserver((list) => done(Math.round(Math.max(...list.getEntries().map(({ duration }) => duration)))))
    .observe({ type: 'longtask', buffered: true })
  const end = () => { setTimeout(() => done(0), 500); read() }
  let timer = setTimeout(end, 700)
  new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(end, 700) })
    .observe(document, { childList: true, subtree: true })
})`
