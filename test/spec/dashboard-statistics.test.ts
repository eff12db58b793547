import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Tab, TestBrowser } from '../support/browser.ts'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { count, reads } from '../support/page-waits.ts'
import { Stage } from '../support/stage.ts'

let browser: TestBrowser
beforeAll(async () => {
  browser = await TestBrowser.start()
})
afterAll(() => browser[Symbol.asyncDispose]())

/** What stands beside a name in one of the cards above the charts. */
function figure({ page }: Tab, card: string, name: string) {
  return page.getByRole('region', { name: card, exact: true }).locator('dl > div', { hasText: name }).locator('dd')
}

/** The figures that take more than one line, which is 20 pixels high. */
function brokenFigures({ page }: Tab): Promise<string[]> {
  return page
    .locator('dl dd')
    .evaluateAll((all) => all.filter(({ clientHeight }) => clientHeight > 30).map(({ textContent }) => textContent))
}

test('messages, tokens, cost and answer times are summed up and drawn over time, by real answers', async () => {
  await using iris = await TestIris.start({
    claude: 'fake',
    teams: { backend: {}, mobile: {} },
    script: () => ({ text: 'yes' }),
  })
  const { usage } = await ask(iris, 'backend', 'one')
  await using tab = await browser.open(iris, { path: '/statistics' })
  const { page } = tab
  await figure(tab, 'Messages', 'Completed').getByText('1', { exact: true }).waitFor()
  await reads(figure(tab, 'Tokens and cost', 'Output'), 'textContent', String(usage!.outputTokens))
  // The only conversation has them all.
  const each = await figure(tab, 'Conversations', 'Tokens each').textContent()
  expect([each, await figure(tab, 'Conversations', 'Most tokens').textContent()]).toEqual([each, each])
  expect(each).toMatch(/^[1-9]/)
  await figure(tab, 'Lifetime of conversations', 'Up to 1 min').getByText('1', { exact: true }).waitFor()
  await ask(iris, 'mobile', 'two')
  await figure(tab, 'Messages', 'Completed').getByText('2', { exact: true }).waitFor()

  await page.getByText('Messages as a table').click()
  const table = page.getByRole('region', { name: 'Messages as a table' })
  await table.getByRole('columnheader', { name: 'Completed' }).waitFor()
  await table.locator('tbody tr').first().waitFor()
  await count(page.getByRole('img', { name: /, as a chart/ }).locator('canvas'), 7)
  expect(await tab.barriers()).toEqual([])

  await page.getByLabel('Team').selectOption('mobile')
  await figure(tab, 'Messages', 'Completed').getByText('1', { exact: true }).waitFor()
  const busiest = page.getByRole('region', { name: 'Busiest pairs' })
  await busiest.getByText('mobile').waitFor()
  await count(busiest.getByText('backend'), 0)
  expect(tab.troubles).toEqual([])
})

test('the span is chosen by keyboard, and what is before it does not count', async () => {
  await using stage = await Stage.start()
  const { iris } = stage
  await ask(iris, 'backend', 'one', { fromTeam: 'frontend' })
  await using tab = await browser.open(iris, { path: '/statistics' })
  const { page } = tab
  await figure(tab, 'Messages', 'Completed').getByText('1', { exact: true }).waitFor()
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).search))
  await page.getByRole('radio', { name: '7 d' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('radio', { name: '30 d', checked: true }).waitFor()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('radio', { name: 'all', checked: true }).waitFor()
  await figure(tab, 'Messages', 'Completed').getByText('1', { exact: true }).waitFor()
  expect(asked.some((query) => query.includes('since=0'))).toBe(true)
})

test('no figure is broken in two lines, however wide the window is', async () => {
  await using stage = await Stage.start()
  await ask(stage.iris, 'backend', 'one', { fromTeam: 'frontend' })
  await ask(stage.iris, 'backend', 'two', { fromTeam: 'frontend' })
  await using tab = await browser.open(stage.iris, { path: '/statistics' })
  await figure(tab, 'Tokens and cost', 'cached').waitFor()
  for (let width = 1240; width <= 1320; width += 4) {
    await tab.page.setViewportSize({ width, height: 800 })
    expect(await brokenFigures(tab), `at ${width} pixels`).toEqual([])
  }
})

test('no label beside a chart is cut, however long the answers took', async () => {
  await using stage = await Stage.start()
  await ask(stage.iris, 'backend', 'one', { fromTeam: 'frontend' })
  stage.iris.change('UPDATE turns SET accepted_at = accepted_at - 2000000')
  await using tab = await browser.open(stage.iris, { path: '/logs' })
  const { page } = tab
  // A canvas keeps no text, so what is drawn is recorded while it is drawn.
  await page.addInitScript(`
    const { prototype } = CanvasRenderingContext2D
    const draw = prototype.fillText
    window.drawn = []
    prototype.fillText = function (text, x, y) {
      const { width } = this.measureText(text)
      const before = { center: width / 2, right: width, end: width }[this.textAlign] ?? 0
      drawn.push({ text, left: new DOMPoint(x, y).matrixTransform(this.getTransform()).x - before })
      draw.call(this, text, x, y)
    }`)
  await page.goto(`${tab.address}/statistics`)
  await page
    .getByRole('img', { name: /^Answer time/ })
    .locator('canvas')
    .waitFor()
  const labels = () => page.evaluate<{ text: string; left: number }[]>('drawn')
  await eventually(async () => (await labels()).some(({ text }) => /^\d+ min/.test(text)), 'minutes are drawn')
  expect((await labels()).filter(({ left }) => left < 0)).toEqual([])
})

test('an Iris that was asked nothing says so', async () => {
  await using stage = await Stage.start()
  await using tab = await browser.open(stage.iris, { path: '/statistics' })
  await tab.page.getByText('No messages in this period.').waitFor()
  expect(await tab.barriers()).toEqual([])
})

test('it fits a telephone, in dark colours', async () => {
  await using stage = await Stage.start()
  await ask(stage.iris, 'backend', 'one', { fromTeam: 'frontend' })
  const { iris } = stage
  await using tab = await browser.open(iris, { path: '/statistics', width: 360, height: 740, colorScheme: 'dark' })
  await tab.page.getByRole('img', { name: /^Cost/ }).locator('canvas').waitFor()
  expect(await tab.fitsWidth()).toBe(true)
  expect(await tab.barriers()).toEqual([])
})
