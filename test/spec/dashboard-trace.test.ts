import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { TestBrowser } from '../support/browser.ts'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { answerPermission, questionOf } from '../support/owner.ts'
import { count, reads } from '../support/page-waits.ts'
import { spoken } from '../support/world.ts'

const fromTeam = 'frontend'
const command = 'echo built | tee built.txt'

/** Backend asks mobile; mobile needs a permission for a command. */
const nested: Script = ({ conversation: { lastUserText, step, toolResults } }) => {
  if (spoken(lastUserText) === 'alone') return { text: 'done alone' }
  if (step > 0) return { text: `heard ${toolResults.at(-1)?.text}` }
  if (!lastUserText.includes('to="backend"'))
    return { toolUses: [{ name: 'Bash', input: { command, description: 'x' } }] }
  return { toolUses: [{ name: 'mcp__iris__send_message', input: { toTeam: 'mobile', message: 'build', timeout: 0 } }] }
}

let browser: TestBrowser
let iris: TestIris
beforeAll(async () => {
  browser = await TestBrowser.start()
  iris = await TestIris.start({ claude: 'fake', script: nested, teams: ['frontend', 'backend', 'mobile'] })
})
afterAll(async () => {
  await iris[Symbol.asyncDispose]()
  await browser[Symbol.asyncDispose]()
})

test('an ask and all it causes grows on the screen while it runs, with what it waits for; then it has ended', async () => {
  await using tab = await browser.open(iris, { path: '/traces' })
  const { page } = tab
  await page.getByText('No messages yet.').waitFor()
  const answered = ask(iris, 'backend', 'plan the release', { fromTeam })
  const question = await questionOf(iris, 'mobile')
  await page.getByRole('link', { name: /frontend.*backend.*working.*plan the release/ }).click()
  await page.getByRole('heading', { name: 'Trace: frontend → backend' }).waitFor()

  const mobile = page.getByRole('button', { name: /backend asked mobile/ })
  await mobile.waitFor()
  await page.getByRole('button', { name: /frontend asked backend working/ }).waitFor()
  const row = page.getByRole('listitem').filter({ has: mobile })
  await row.locator('[data-kind=person]').waitFor()
  await row.locator('[data-tool=Bash]').waitFor()
  expect(await tab.barriers()).toEqual([])

  await answerPermission(iris, question, 'allow')
  await answered
  await page.getByRole('button', { name: /frontend asked backend completed/ }).waitFor()
  await page.getByRole('button', { name: /backend asked mobile completed/ }).waitFor()

  await mobile.focus()
  await page.keyboard.press('Enter')
  await row.getByText(/A person was asked about Bash .* allowed by you after/).waitFor()
  const tool = row.getByRole('group').filter({ has: page.getByText(command, { exact: true }) })
  await tool.getByText(command, { exact: true }).click()
  await tool.getByText('built', { exact: true }).waitFor()
  await row.getByText('heard built').waitFor()
  const conversation = new RegExp(`^${tab.address}/conversations/[\\w-]{36}\\?turn=`)
  await reads(row.getByRole('link', { name: 'Open the conversation' }), 'href', conversation)
  expect(tab.troubles).toEqual([])
})

test('bars say in their place and length what the figures say', async () => {
  const { turnId } = (await ask(iris, 'frontend', 'alone', {})) as { turnId: string }
  await using tab = await browser.open(iris, { path: `/traces/${turnId}` })
  const { page } = tab
  await page.getByRole('heading', { name: 'Trace: you → frontend' }).waitFor()
  await page.locator('[data-kind=model]').first().waitFor()
  const shares = await page
    .locator('li [data-kind]')
    .evaluateAll((bars) =>
      bars.map((bar) => ({ left: Number.parseFloat(bar.style.left), width: Number.parseFloat(bar.style.width) })),
    )
  for (const [index, { left }] of shares.entries()) {
    const before = shares[index - 1]
    expect(left).toBeCloseTo(before ? before.left + before.width : 0, 1)
  }
  expect(shares.at(-1)!.left + shares.at(-1)!.width).toBeCloseTo(100, 1)
  await page.getByRole('button', { name: 'Zoom in' }).click()
  await page.getByText('2×').waitFor()

  await page.getByRole('button', { name: 'Show as a table' }).click()
  const row = page.getByRole('row', { name: /you asked frontend/ })
  await row.getByRole('cell', { name: 'completed' }).waitFor()
  await page.getByRole('columnheader', { name: 'Waiting for you' }).waitFor()
  expect(await tab.barriers()).toEqual([])
  expect(tab.troubles).toEqual([])
})

test.each([
  { width: 360, colorScheme: 'light' },
  { width: 1920, colorScheme: 'dark' },
] as const)('at a width of $width, in $colorScheme colours, both screens fit and keep nobody out', async (view) => {
  await using tab = await browser.open(iris, { path: '/traces', ...view })
  const { page } = tab
  const first = page.getByRole('list', { name: 'First messages' }).getByRole('link').last()
  await first.waitFor()
  expect(await tab.fitsWidth()).toBe(true)
  expect(await tab.barriers()).toEqual([])
  await first.click()
  await page.getByRole('region', { name: 'Turns over time' }).waitFor()
  expect(await tab.fitsWidth()).toBe(true)
  expect(await tab.barriers()).toEqual([])
})

test('the list is narrowed to a team and a status', async () => {
  await using tab = await browser.open(iris, { path: '/traces' })
  const { page } = tab
  const asks = page.getByRole('list', { name: 'First messages' }).getByRole('link')
  await asks.first().waitFor()
  await page.getByLabel('Team').selectOption('mobile')
  await page.getByText('No message matches.').waitFor()
  await page.getByLabel('Team').selectOption('backend')
  await page.getByRole('link', { name: /plan the release/ }).waitFor()
  await count(asks, 1)
  await page.getByLabel('Status').selectOption('not ended')
  await page.getByText('No message matches.').waitFor()
})

test('a turn that is not there is said to be none, with what to do', async () => {
  await using tab = await browser.open(iris, { path: '/traces/nothing' })
  const trouble = tab.page.getByRole('alert').filter({ hasText: 'There is no turn nothing.' })
  await trouble.filter({ hasNotText: 'search_messages' }).waitFor()
  await trouble.getByRole('link', { name: 'Search all conversations' }).waitFor()
})
