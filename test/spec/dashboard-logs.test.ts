import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestBrowser } from '../support/browser.ts'
import { eventually } from '../support/eventually.ts'
import type { TestIris } from '../support/iris.ts'
import { count } from '../support/page-waits.ts'
import { Stage } from '../support/stage.ts'

let browser: TestBrowser
beforeAll(async () => {
  browser = await TestBrowser.start()
})
afterAll(() => browser[Symbol.asyncDispose]())

/** Says something in the log of this Iris. */
function say({ daemon }: TestIris, message: string, level: 'info' | 'warn' | 'error' = 'info', ids = {}): void {
  daemon.parts.recentLog.add({ level, context: 'test', message, ids })
}

test('the log is live, and filtered by level, team, part, session and text', async () => {
  await using stage = await Stage.start()
  const { iris } = stage
  say(iris, 'said before', 'warn', { pair: 'frontend→backend', sessionId: 'abc' })
  await using tab = await browser.open(iris, { path: '/logs' })
  const { page } = tab
  const log = page.getByRole('log')
  await log.getByText('said before').waitFor()
  await log.getByText('listens on').waitFor()
  say(iris, 'said while somebody reads')
  await log.getByText('said while somebody reads').waitFor()
  expect(await tab.barriers()).toEqual([])

  await page.getByLabel('Level').selectOption('warn')
  await log.getByText('listens on').waitFor({ state: 'detached' })
  await log.getByText('said before').waitFor()
  await page.getByLabel('Level').selectOption('debug')
  await page.getByLabel('Team').selectOption('backend')
  await log.getByText('said while somebody reads').waitFor({ state: 'detached' })
  await log.getByText('said before').waitFor()
  await page.getByLabel('Team').selectOption('')
  await page.getByLabel('Part').selectOption('test')
  await log.getByText('said while somebody reads').waitFor()
  await page.getByLabel('Id of a conversation or message').fill('abc')
  await log.getByText('said while somebody reads').waitFor({ state: 'detached' })
  await page.getByLabel('Id of a conversation or message').fill('')
  await page.getByLabel('Text', { exact: true }).fill('SOMEBODY')
  await log.getByText('said before').waitFor({ state: 'detached' })
  await log.getByText('said while somebody reads').waitFor()
  await page.getByLabel('Text', { exact: true }).fill('nobody says this')
  await page.getByText('No line matches.').waitFor()
  expect(tab.troubles).toEqual([])
})

test('a pause goes on collecting and says how many are new', async () => {
  await using stage = await Stage.start()
  const { iris } = stage
  await using tab = await browser.open(iris, { path: '/logs' })
  const { page } = tab
  const log = page.getByRole('log')
  await log.getByText('listens on').waitFor()
  await page.getByLabel('Part').selectOption('iris')
  await page.getByRole('button', { name: 'Pause' }).click()
  for (let line = 1; line <= 3; line += 1)
    iris.daemon.parts.recentLog.add({ level: 'info', context: 'iris', ids: {}, message: `fresh ${line}` })
  const resume = page.getByRole('button', { name: /Resume \([3-9] new\)/ })
  await resume.waitFor()
  await count(log.getByText('fresh 3'), 0)
  await resume.click()
  await log.getByText('fresh 3').waitFor()
})

test('ten thousand lines are a few in the page, the newest in sight, and control characters are signs', async () => {
  await using stage = await Stage.start()
  const { iris } = stage
  for (let line = 1; line <= 10_000; line += 1) say(iris, `line number ${line}.`)
  say(iris, 'bell \u0007 <b>bold</b> \u202E turned', 'error')
  await using tab = await browser.open(iris, { path: '/logs' })
  const log = tab.page.getByRole('log')
  await log.getByText('bell ‹U+0007› <b>bold</b> ‹U+202E› turned').waitFor()
  await log.locator('p').nth(199).waitFor({ state: 'detached' })
  await log.focus()
  // A key that comes while the list still settles at its end does not always get to the top.
  await eventually(async () => {
    await tab.page.keyboard.press('Home')
    return log.evaluate((element) => Reflect.get(element, 'scrollTop') === 0)
  }, 'the first lines')
  await log.getByText('line number 20.').waitFor()
  expect(tab.troubles).toEqual([])
})

test('what is shown is downloaded, a JSON object a line', async () => {
  await using stage = await Stage.start()
  const { iris } = stage
  say(iris, 'keep this', 'error', { team: 'backend' })
  await using tab = await browser.open(iris, { path: '/logs' })
  await tab.page.getByLabel('Level').selectOption('error')
  await tab.page.getByRole('log').getByText('keep this').waitFor()
  const downloading = tab.page.waitForEvent('download')
  await tab.page.getByRole('button', { name: 'Download' }).click()
  const file = await downloading
  expect(file.suggestedFilename()).toMatch(/^iris-log-.*\.ndjson$/)
  const lines = readFileSync(await file.path(), 'utf8')
    .trim()
    .split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'error', context: 'test', team: 'backend', message: 'keep this' },
  ])
})

test('it fits a telephone, in dark colours', async () => {
  await using stage = await Stage.start()
  await using tab = await browser.open(stage.iris, { path: '/logs', width: 360, height: 740, colorScheme: 'dark' })
  await tab.page.getByRole('log').getByText('listens on').waitFor()
  expect(await tab.fitsWidth()).toBe(true)
  expect(await tab.barriers()).toEqual([])
})
