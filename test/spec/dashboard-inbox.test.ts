import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { heldText, overloadedFailure, type Script } from '../../src/app/demo/script.ts'
import { type Tab, TestBrowser } from '../support/browser.ts'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { count, reads } from '../support/page-waits.ts'
import { spoken } from '../support/world.ts'

let browser: TestBrowser
let iris: TestIris
let failing = true
const [gate, never] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
const fromTeam = 'frontend'
const marked = '## Please\n\n- run **all** tests of `orders`'

const script: Script = ({ conversation: { lastUserText, toolResults } }) => {
  const said = spoken(lastUserText)
  if (said === 'hold') return { stream: heldText('First line\nSecond line', gate.promise, ' and the end') }
  if (said === 'endless') return { stream: heldText('It begins', never.promise, '') }
  if (said === 'fails') return failing ? overloadedFailure : { text: 'It works again.' }
  if (said === 'touch' && toolResults.length === 0)
    return { toolUses: [{ name: 'Bash', input: { command: 'touch made', description: 'makes a file' } }] }
  if (said === marked && toolResults.length === 0)
    return { toolUses: [{ name: 'Bash', input: { command: 'touch other', description: 'makes a file' } }] }
  if (said === 'risky' && toolResults.length === 0)
    return { toolUses: [{ name: 'Bash', input: { command: 'rm -rf build', description: 'cleans' } }] }
  return { text: `You said: ${said}` }
}

beforeAll(async () => {
  browser = await TestBrowser.start()
  iris = await TestIris.start({
    claude: 'fake',
    script,
    teams: {
      backend: { env: { CLAUDE_CODE_MAX_RETRIES: '0' } },
      frontend: {},
      mobile: { grantPermission: 'ask' },
      docs: {},
    },
  })
})
afterAll(async () => {
  await iris[Symbol.asyncDispose]()
  await browser[Symbol.asyncDispose]()
})

const section = ({ page }: Tab, name: string) => page.getByRole('region', { name, exact: true })

test('the inbox lists by need, answers where it asks, retries what failed, and counts what Health counts', async () => {
  await ask(iris, 'docs', 'hello', { fromTeam })
  await ask(iris, 'backend', 'fails', { fromTeam })
  const working = ask(iris, 'docs', 'hold', { fromTeam: 'mobile' })
  const waiting = ask(iris, 'mobile', 'touch', { fromTeam })
  const { permission } = await iris.event('permission:request')
  await using tab = await browser.open(iris, { width: 1440, height: 900 })
  const { page } = tab
  await section(tab, 'Waiting for you').getByText('wants to run a command').waitFor()
  await section(tab, 'Working').getByText('Second line', { exact: true }).waitFor()
  const titles = await page.locator('main section > h2').allTextContents()
  expect(titles.slice(0, 4)).toEqual(['Waiting for you', 'Failed', 'Working', 'Conversations'])
  await section(tab, 'Conversations').getByText('You said: hello').waitFor()
  await section(tab, 'Failed')
    .getByRole('paragraph')
    .getByText(/529 Overloaded/)
    .waitFor()
  await page.getByRole('navigation', { name: 'Screens' }).getByText('2 need you').waitFor()
  expect(await page.title()).toBe('(2) Inbox · Iris')
  expect(await tab.barriers('moderate')).toEqual([])
  const health = await tab.another('/daemon')
  await health.page.getByText('1 conversation waits for you, 1 has failed.').waitFor()

  const trace = await tab.another(`/traces/${permission.turnId}`)
  await trace.page.getByText('mobile wants to run a command').waitFor()
  await trace.page.close()

  // One click each.
  await section(tab, 'Waiting for you').getByRole('button', { name: 'Allow once' }).click()
  expect((await waiting).status).toBe('completed')
  await section(tab, 'Waiting for you').waitFor({ state: 'detached' })
  failing = false
  await section(tab, 'Failed').getByRole('button', { name: 'Retry' }).click()
  await section(tab, 'Failed').waitFor({ state: 'detached' })
  // Nobody waited for this answer: it is news.
  await section(tab, 'News').getByText('It works again.').waitFor()
  await health.page.getByText('Go to the inbox').waitFor({ state: 'detached' })
  gate.resolve()
  await working
  await section(tab, 'Conversations').getByText('First line Second line and the end').waitFor()
  expect([...tab.troubles, ...health.troubles]).toEqual([])
})

test('a message and an answer in Markdown are one line of plain words in a row', async () => {
  const asked = ask(iris, 'mobile', marked, { fromTeam: 'backend' })
  await iris.event('permission:request', ({ permission: { from } }) => from === 'backend')
  await using tab = await browser.open(iris)
  await section(tab, 'Waiting for you').getByText('Please • run all tests of orders', { exact: true }).waitFor()
  await section(tab, 'Waiting for you').getByRole('button', { name: 'Allow once' }).click()
  await asked
  const row = section(tab, 'Conversations').getByText('You said: ## Please • run all tests of orders', { exact: true })
  await row.waitFor()
  expect(tab.troubles).toEqual([])
})

const sizes = [
  [390, 844],
  [1024, 768],
  [1440, 900],
] as const

test.each(sizes)(
  'at %i pixels the inbox is the first screen and fits, and a team that was never asked is two clicks away',
  { tags: ['thorough'] },
  async (width, height) => {
    await using tab = await browser.open(iris, { width, height })
    const { page } = tab
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
    await page.locator('[data-session]').first().waitFor()
    expect(await tab.fitsWidth()).toBe(true)
    expect(await tab.barriers('moderate')).toEqual([])
    await page.getByRole('button', { name: 'Message… frontend' }).click()
    await page.keyboard.type(`written at ${width}`)
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
    await page.getByText(`You said: written at ${width}`).waitFor()
    expect(await tab.fitsWidth()).toBe(true)
    expect(tab.troubles).toEqual([])
  },
)

test('an answer is stopped by one click or by Escape, and an old one is found by typing, with the keyboard alone', {
  tags: ['thorough'],
}, async () => {
  const { sessionId } = await ask(iris, 'docs', 'the word is heliotrope')
  await using tab = await browser.open(iris, { path: `/conversations/${sessionId}` })
  const { page } = tab
  const write = async (text: string): Promise<void> => {
    await page.getByLabel('Message to docs').fill(text)
    await page.keyboard.press('Control+Enter')
  }
  await write('endless')
  await page.getByText('It begins').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('cancelled', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
  await write('endless')
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('cancelled', { exact: true }).nth(1).waitFor()
  await page.getByRole('meter', { name: 'Context of you to docs' }).waitFor()
  expect(await tab.barriers('moderate')).toEqual([])

  await page.goto(`${tab.address}/statistics`)
  await tab.live()
  await page.keyboard.press('/')
  await page.keyboard.type('heliotrope')
  await page.getByRole('option', { name: /docs answers you/ }).waitFor()
  expect(await tab.barriers('moderate')).toEqual([])
  // On a slow machine the first letters found other messages too.
  const others = page.getByRole('dialog').getByRole('option').filter({ hasNotText: 'heliotrope' })
  await count(others, 0)
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page
    .getByRole('article', { name: /you ask docs/ })
    .first()
    .waitFor()
  expect(page.url()).toContain('find=heliotrope')
  expect(tab.troubles).toEqual([])
})

test('no single key writes a rule where there is something to look at twice; a rule that was written can be undone', {
  tags: ['thorough'],
}, async () => {
  const config = () => readFileSync(join(iris.world.home, 'config.yaml'), 'utf8')
  const before = config()
  const asked = ask(iris, 'mobile', 'risky', { fromTeam: 'docs' })
  const { permission } = await iris.event(
    'permission:request',
    ({ permission: { toolName, from } }) => from === 'docs' && toolName === 'Bash',
  )
  await using tab = await browser.open(iris, { path: `/conversations/${permission.sessionId}` })
  const { page } = tab
  const card = page.locator(`[data-permission="${permission.permissionId}"]`)
  await card.focus()
  await page.keyboard.press('w')
  await card.getByText(/without a permission request, for every asker/).waitFor()
  expect(config()).toBe(before)
  await card.getByRole('button', { name: 'Add the rule' }).click()
  expect((await asked).status).toBe('completed')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText(/removed the rule .* from config.yaml again/).waitFor()
  expect(config()).toBe(before)
})

test('what is chosen is in the address, and Back restores it', { tags: ['thorough'] }, async () => {
  await using tab = await browser.open(iris, { path: '/switchboard', width: 1024, height: 768 })
  const { page } = tab
  await page.getByLabel('Team', { exact: true }).selectOption('docs')
  await page.getByLabel('State', { exact: true }).selectOption('failed')
  expect(new URL(page.url()).search).toBe('?team=docs&state=failed')
  await page.goBack()
  await page.waitForURL('**/switchboard?team=docs')
  await reads(page.getByLabel('State', { exact: true }), 'value', '')
  expect(await tab.fitsWidth()).toBe(true)
  expect(await tab.barriers('moderate')).toEqual([])
})
