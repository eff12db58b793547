import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestBrowser } from '../support/browser.ts'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { obedient } from '../support/obedient.ts'
import { answerPermission } from '../support/owner.ts'
import { count, evaluates, reads } from '../support/page-waits.ts'

// Faults that people have met in the dashboard, and that have no place in the test of a feature.

let iris: TestIris
let browser: TestBrowser
beforeAll(async () => {
  const teams = { backend: { color: '#ff0088', grantPermission: 'ask' }, frontend: {} }
  iris = await TestIris.start({ claude: 'fake', script: obedient, teams })
  browser = await TestBrowser.start()
})
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await iris[Symbol.asyncDispose]()
})

test('an unknown conversation in the address is explained to a person, not to a model', async () => {
  await using tab = await browser.open(iris, { path: '/conversations/00000000-0000-4000-8000-000000000000' })
  const alert = tab.page.getByRole('alert').filter({ hasText: 'There is no conversation' })
  await alert.filter({ hasNotText: /[a-z]+_[a-z]+|tool/ }).waitFor()
})

test('the search for a key leaves no empty boxes', async () => {
  await using tab = await browser.open(iris, { path: '/configuration' })
  const form = tab.page.getByRole('form', { name: 'Configuration' })
  await form.getByText('Team backend').waitFor()
  await tab.page.getByLabel('Find a key').fill('maxProcesses')
  await form.getByText('Team backend').waitFor({ state: 'detached' })
  const boxes = form.locator('details > summary')
  await count(boxes, 1)
  await reads(boxes, 'textContent', 'Settings')
  await tab.page.getByLabel('Find a key').fill('no such key')
  await form.getByText('No key matches.').waitFor()
  await count(form.locator('details'), 0)
})

test('what was decided last is first in the list, whatever was asked first', async () => {
  const asked = ['one', 'two'].map((name) => ask(iris, 'backend', `run touch ${name}`, { thread: name, timeout: 0 }))
  const question = async (name: string) =>
    (await iris.event('permission:request', ({ permission }) => permission.shown.includes(name))).permission
  const [one, two] = [await question('touch one'), await question('touch two')]
  await answerPermission(iris, two, 'allow')
  await eventually(() => iris.rows("SELECT 1 FROM permissions WHERE state = 'allowed'").length === 1, 'it is decided')
  await answerPermission(iris, one, 'deny')
  await Promise.all(asked)
  await using tab = await browser.open(iris, { path: '/permissions' })
  await tab.page.getByText('Recent decisions').click()
  const rows = tab.page.locator('details').filter({ hasText: 'Recent decisions' }).locator('li')
  await rows.first().waitFor()
  const inputs = (await rows.allTextContents()).map((text) => /touch (one|two)/.exec(text)?.[1])
  expect(inputs).toEqual(['one', 'two'])
})

test('a cancelled message with a cost shows the cost, and no tokens that are not known', async () => {
  const { turnId, sessionId } = await ask(iris, 'frontend', 'say done')
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0.25 }
  iris.change(
    `UPDATE turns SET outcome = 'cancelled', answer = NULL, usage = '${JSON.stringify(usage)}' WHERE id = '${turnId}'`,
  )
  // What has just ended is still in memory.
  await iris.restart()
  await using tab = await browser.open(iris, { path: `/conversations/${sessionId}` })
  const turn = tab.page.getByRole('article').first()
  await turn.getByText('cancelled', { exact: true }).waitFor()
  await turn.getByText('$0.25').waitFor()
  await turn.filter({ hasNotText: 'tokens' }).waitFor()
})

test('after a link to a turn, Home goes to the first one', async () => {
  const first = await ask(iris, 'frontend', 'say the very first', { thread: 'long' })
  const turns = [first.turnId]
  for (let index = 0; index < 11; index += 1) {
    const words = `say ${`number ${index} `.repeat(60)}`
    turns.push((await ask(iris, 'frontend', words, { thread: 'long' })).turnId)
  }
  await using tab = await browser.open(iris, { path: `/conversations/${first.sessionId}?turn=${turns[8]}` })
  const { page } = tab
  await page.getByText('number 7 ').first().waitFor()
  await page.getByRole('feed', { name: 'Turns' }).focus()
  await page.keyboard.press('Home')
  await page.getByText('say the very first', { exact: true }).waitFor()
  expect(await page.getByRole('feed', { name: 'Turns' }).evaluate((feed) => Reflect.get(feed, 'scrollTop'))).toBe(0)
})

test('a team has the colour that config.yaml gives it on every page', async () => {
  const { turnId } = await ask(iris, 'backend', 'say hello', { thread: 'colours' })
  await using tab = await browser.open(iris)
  const pages = ['/', '/switchboard', '/conversations', '/statistics', '/traces', `/traces/${turnId}`]
  for (const path of pages) {
    await tab.page.goto(tab.address + path)
    await tab.page.getByText('backend').locator('visible=true').first().waitFor()
    const colours = `[...document.querySelectorAll('span')]
      .filter(({ textContent, children }) => textContent === 'backend' && children.length === 2)
      .map(({ firstElementChild }) => getComputedStyle(firstElementChild).backgroundColor)`
    // Until the teams have come their names give them a colour.
    await evaluates(tab.page, `String([...new Set(${colours})])`, 'rgb(255, 0, 136)')
  }
  expect(tab.troubles).toEqual([])
})
