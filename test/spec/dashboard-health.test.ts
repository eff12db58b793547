import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestBrowser } from '../support/browser.ts'
import { ask } from '../support/call-tool.ts'
import { count, reads } from '../support/page-waits.ts'
import { Stage } from '../support/stage.ts'

let browser: TestBrowser
beforeAll(async () => {
  browser = await TestBrowser.start()
})
afterAll(() => browser[Symbol.asyncDispose]())

test('the health of the daemon is shown, and what is wrong appears and disappears by itself', async () => {
  await using stage = await Stage.start()
  const { iris } = stage
  await ask(iris, 'backend', 'hello', { fromTeam: 'frontend' })
  await using tab = await browser.open(iris, { path: '/daemon' })
  const { page } = tab
  await page.getByText('Details', { exact: true }).click()
  const daemon = page.getByRole('region', { name: 'Daemon' })
  await daemon.getByText('serving').waitFor()
  await page.getByRole('region', { name: 'Work' }).getByText('1 of ').waitFor()
  for (const name of ['Event loop', 'Store']) {
    const times = page.getByRole('region', { name })
    for (const percentile of ['p50', 'p99']) await times.getByText(percentile, { exact: true }).waitFor()
  }
  // A problem that affects both teams is shown once.
  const isolation = page.getByRole('region', { name: 'Isolation of agents' }).getByRole('listitem')
  await isolation.filter({ hasText: 'frontend' }).filter({ hasText: 'backend' }).waitFor()
  await count(isolation, 1)

  const file = join(iris.world.home, 'config.yaml')
  const config = readFileSync(file, 'utf8')
  writeFileSync(file, `${config}\nnonsense: true\n`)
  const wrong = page.getByRole('region', { name: 'What is wrong' })
  const rejected = wrong.getByText('Iris is not using the last saved config.yaml')
  await rejected.waitFor()
  await wrong.getByText('Fix the file and save it').waitFor()
  expect(await tab.barriers()).toEqual([])
  writeFileSync(file, config)
  await rejected.waitFor({ state: 'detached' })
  expect(tab.troubles).toEqual([])
})

test('each health check of the daemon is on the screen at once', async () => {
  await using stage = await Stage.start({ settings: { healthCheckInterval: 10_000 } })
  const { iris, clock } = stage
  await using tab = await browser.open(iris, { path: '/daemon' })
  const { page } = tab
  await page.getByText('Details', { exact: true }).click()
  await page.getByText('None yet.').waitFor()
  await clock.jump(10_000)
  await iris.event('health-check')
  await page.getByRole('columnheader', { name: 'Hung and ended' }).waitFor()
  await count(page.getByText('None yet.'), 0)
})

test('it fits a telephone, in dark colours', async () => {
  await using stage = await Stage.start()
  await using tab = await browser.open(stage.iris, { path: '/daemon', width: 360, height: 740, colorScheme: 'dark' })
  await tab.page.getByText('Details', { exact: true }).click()
  await tab.page.getByRole('region', { name: 'Store' }).waitFor()
  expect(await tab.fitsWidth()).toBe(true)
  expect(await tab.barriers()).toEqual([])
})

test('figures and times are written in the language of the browser', async () => {
  await using stage = await Stage.start()
  await using tab = await browser.open(stage.iris, { path: '/daemon', locale: 'de-DE' })
  const { page } = tab
  await page.getByText('Details', { exact: true }).click()
  const daemon = page.getByRole('region', { name: 'Daemon' })
  await reads(daemon, 'textContent', /Runs for\d+(,\d)? (Sek|Min)\./)
  await page.getByText('Measured jetzt').waitFor()
})
