import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { type Tab, TestBrowser } from '../support/browser.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { compacted, fillStore } from '../support/many-turns.ts'
import { count, evaluates, reads } from '../support/page-waits.ts'
import { spoken } from '../support/world.ts'

/** Opened by the test when the model may continue. */
let gate = Promise.withResolvers<void>()

async function* held(): AsyncGenerator<string> {
  yield 'The first half is there, '
  await gate.promise
  yield 'and here is the **second** half.'
}

async function* heldThought(): AsyncGenerator<string> {
  yield 'I wonder, '
  await gate.promise
  yield 'and I know.'
}

const answers: Record<string, string> = {
  'What is an order?':
    'An order has a [page](https://example.org/order), a [trick](javascript:alert(1)), <b>no HTML</b> and ![a picture](https://example.org/x.png).\n\n```\nconst order = 1\n```',
}

const script: Script = ({ conversation: { lastUserText, step } }) => {
  const message = spoken(lastUserText)
  if (message === 'hold') return { stream: held() }
  if (message === 'think') return { thinking: heldThought(), text: 'I have thought.' }
  if (message === 'use a tool' && step === 0) {
    const input = { command: 'echo found the zebra' }
    return { thinking: 'I must look.', text: 'Looking.', toolUses: [{ name: 'Bash', input }] }
  }
  return { text: answers[message] ?? `answer to ${message}` }
}

let iris: TestIris
let browser: TestBrowser
let long: string
beforeAll(async () => {
  iris = await TestIris.start({ script, teams: { frontend: {}, backend: { grantPermission: 'yes', dangerous: true } } })
  await iris.daemon.stop(0)
  long = fillStore(join(iris.world.home, 'data/team-sessions.db'), { turns: 50_000, from: 'frontend' })
  await iris.restart()
  browser = await TestBrowser.start()
  // A checkout builds the dashboard when it is first looked at.
  await using tab = await browser.open(iris)
  await tab.page.getByRole('navigation', { name: 'Screens' }).waitFor()
}, 180_000)
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await iris[Symbol.asyncDispose]()
})

const turn = (tab: Tab, message: string) => tab.page.getByRole('article').filter({ hasText: message }).last()

async function noTrouble(tab: Tab): Promise<void> {
  expect(await tab.barriers()).toEqual([])
  expect(await tab.fitsWidth()).toBe(true)
  expect(tab.troubles).toEqual([])
}

test('an answer is read while it is being written, in two tabs at once, and then as its markdown says', async () => {
  gate = Promise.withResolvers()
  const { sessionId } = await ask(iris, 'backend', 'What is an order?')
  await using tab = await browser.open(iris, { path: `/conversations/${sessionId}` })
  const other = await tab.another(`/conversations/${sessionId}`)
  const { page } = tab
  await page.getByText('const order = 1').waitFor()
  const { turnId } = await ask(iris, 'backend', 'hold', { timeout: -1 })
  for (const one of [tab, other]) {
    await turn(one, 'hold').getByText('The first half is there,').waitFor()
    await turn(one, 'hold').getByText('working', { exact: true }).waitFor()
  }
  gate.resolve()
  await turn(tab, 'hold').locator('strong', { hasText: 'second' }).waitFor()
  await turn(other, 'hold').locator('strong', { hasText: 'second' }).waitFor()
  await turn(tab, 'hold').getByRole('button', { name: 'Details' }).click()
  await turn(tab, 'hold')
    .getByText(/^answered \d/)
    .waitFor()
  await reads(turn(tab, 'hold').getByRole('link', { name: 'Trace' }), 'href', `${tab.address}/traces/${turnId}`)

  const order = turn(tab, 'What is an order?')
  const link = order.getByRole('link', { name: 'page' })
  await reads(link, 'href', 'https://example.org/order')
  await reads(link, 'rel', /noopener/)
  await count(order.getByRole('link', { name: 'trick' }), 0)
  await count(order.locator('img, b'), 0)
  await order.getByText('[picture: a picture]').waitFor()
  await noTrouble(tab)
})

test('an answer that ends while its turn is being asked for is shown', async () => {
  gate = Promise.withResolvers()
  const { sessionId } = await ask(iris, 'backend', 'hold', { timeout: -1 })
  await using tab = await browser.open(iris)
  const { page } = tab
  const [turns, conversation] = [/turns\?.*limit=50\b/, /turns\?.*limit=1\b/]
  await page.route(
    turns,
    async (route) => {
      const asItWas = await route.fetch()
      // A client that already follows the daemon reconnects at once.
      await tab.live()
      gate.resolve()
      await page.waitForRequest(conversation)
      await route.fulfill({ response: asItWas })
    },
    { times: 1 },
  )
  await page.goto(`${tab.address}/conversations/${sessionId}`)
  await turn(tab, 'hold').locator('strong', { hasText: 'second' }).waitFor()
  expect(tab.troubles).toEqual([])
})

test('what is being thought is read while it is thought, after a reload too, and is then a step', async () => {
  gate = Promise.withResolvers()
  const { sessionId } = await ask(iris, 'backend', 'before it thinks')
  await using tab = await browser.open(iris, { path: `/conversations/${sessionId}` })
  const asked = turn(tab, 'think')
  await ask(iris, 'backend', 'think', { timeout: -1 })
  await asked.getByText('I wonder, ', { exact: true }).waitFor()
  await tab.page.reload()
  await asked.getByText('I wonder, ', { exact: true }).waitFor()
  await noTrouble(tab)
  await asked.getByRole('button', { name: 'Show steps' }).click()
  const steps = asked.getByRole('region', { name: 'Steps' })
  await steps.getByText('Thinking', { exact: true }).click()
  await steps.getByText('I wonder, ').waitFor()
  gate.resolve()
  await count(asked.getByText('Thinking', { exact: true }), 1)
  await asked.getByText('I have thought.').first().waitFor()
  await asked.getByText('I wonder, and I know.').waitFor()
  expect(tab.troubles).toEqual([])
})

test('what was done for an answer is folded, and unfolds with input, result and thoughts', async () => {
  const { sessionId } = await ask(iris, 'backend', 'use a tool')
  await using tab = await browser.open(iris, { path: `/conversations/${sessionId}`, colorScheme: 'dark' })
  const work = turn(tab, 'use a tool')
  await work.getByRole('button', { name: 'Show steps' }).click()
  const tool = work.locator('details', { hasText: 'Bash' })
  await tool.getByText('done').waitFor()
  await tool.getByText('found the zebra', { exact: true }).waitFor({ state: 'hidden' })
  await tool.locator('summary').click()
  await tool.getByText('found the zebra', { exact: true }).waitFor()
  await tool.getByText('"command": "echo found the zebra"').waitFor()
  await work.getByText('Thinking', { exact: true }).click()
  await work.getByText('I must look.').waitFor()
  await noTrouble(tab)
  await work.getByRole('button', { name: 'Hide steps' }).click()
  await tool.waitFor({ state: 'detached' })
})

test('a message is sent as oneself, once, and its draft outlives a failure', async () => {
  const { sessionId } = await ask(iris, 'backend', 'before')
  await using tab = await browser.open(iris, { path: `/conversations/${sessionId}`, width: 360, height: 740 })
  const { page } = tab
  const field = page.getByLabel('Message to backend')
  // The message arrives, its answer does not.
  let failures = 0
  await page.route('**/api/teams/quick', async (route) => {
    failures += 1
    if (failures > 1) return route.continue()
    await route.fetch()
    return route.abort()
  })
  await field.fill('from my telephone')
  await field.press('Control+Enter')
  await page.getByRole('alert').getByText('It was not sent').waitFor()
  await reads(field, 'value', 'from my telephone')
  await page.reload()
  await reads(field, 'value', 'from my telephone')
  await field.press('Control+Enter')
  await page.getByText('Sent.').waitFor()
  await reads(field, 'value', '')
  await page.getByText('answer to from my telephone').last().waitFor()
  await noTrouble(tab)
  const asked = iris.rows(`SELECT COUNT(*) AS count FROM turns WHERE message = 'from my telephone'`)
  expect(asked).toEqual([{ count: 1 }])
})

test('what runs is cancelled, what waits is taken out of the queue', async () => {
  gate = Promise.withResolvers()
  const { sessionId } = await ask(iris, 'backend', 'hold', { timeout: -1 })
  await using tab = await browser.open(iris, { path: `/conversations/${sessionId}` })
  await tab.page.getByText('The first half is there,').last().waitFor()
  await ask(iris, 'backend', 'changed my mind', { timeout: -1 })
  const waiting = turn(tab, 'changed my mind')
  await waiting.getByText('queued', { exact: true }).waitFor()
  await waiting.getByRole('button', { name: 'Remove from queue' }).click()
  await waiting.getByText('cancelled', { exact: true }).waitFor()
  const running = turn(tab, 'hold')
  await tab.page.getByRole('button', { name: 'Stop' }).click()
  await running.getByText('cancelled', { exact: true }).waitFor()
  await noTrouble(tab)
  const ends = iris.rows(`SELECT outcome FROM turns ORDER BY sequence DESC LIMIT 2`)
  expect(ends).toEqual([{ outcome: 'cancelled' }, { outcome: 'cancelled' }])
})

test('a search over all conversations leads to the turn, which is marked, and back', async () => {
  await using tab = await browser.open(iris, { path: '/conversations' })
  const { page } = tab
  await page.getByRole('list', { name: 'Conversations' }).getByRole('link').first().waitFor()
  await noTrouble(tab)
  const field = page.getByLabel('Search all conversations')
  await field.fill('"question 123"')
  const hits = page.getByRole('list', { name: 'Found' }).getByRole('link')
  await page.locator('mark', { hasText: 'Question' }).first().waitFor()
  await count(hits, 1)
  await noTrouble(tab)
  await hits.first().click()
  const found = page.getByRole('article', { name: 'Turn 123: frontend asks backend' })
  await found.getByText('Question 123, filler?').waitFor()
  await found.waitForFunction((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return bottom > 0 && top < 800
  })
  await evaluates(page, `CSS.highlights.get('found')?.size > 1`, true)
  await page.goBack()
  await reads(field, 'value', '"question 123"')
  await field.fill('nothing like that')
  await page.getByText('Nothing was found.').waitFor()
})

test('what became of a conversation is told between its turns, and its other ones are within reach', async () => {
  const first = await ask(iris, 'frontend', 'one')
  const [row] = iris.rows(`SELECT session FROM turns WHERE id = '${first.turnId}'`)
  await callTool(iris, 'session_reboot', { team: 'frontend' })
  const second = await ask(iris, 'frontend', 'two')
  await iris.daemon.stop(0)
  compacted(join(iris.world.home, 'data/team-sessions.db'), Number(row!['session']))
  await iris.restart()
  await using tab = await browser.open(iris, { path: `/conversations/${first.sessionId}` })
  const { page } = tab
  await page.getByText('Conversation compacted from 150K tokens to 12K').waitFor()
  await page.getByText('archived', { exact: true }).first().waitFor()
  await page.getByText('2 conversations of this pair').click()
  await noTrouble(tab)
  await page.getByRole('navigation', { name: 'Conversations of this pair' }).getByRole('link').first().click()
  await page.waitForURL(`**/conversations/${second.sessionId}`)
  await page.getByText('answer to two').waitFor()

  await page.goto(`${tab.address}/conversations/00000000-0000-4000-8000-000000000000`)
  await page.getByRole('alert').getByText('There is no conversation').waitFor()
  expect(await tab.barriers()).toEqual([])
})

/** Resolves when the page has drawn that many frames. */
function framesOf(page: Tab['page'], count: number): Promise<unknown> {
  return page.evaluate(
    `new Promise((resolve) => { let left = ${count}; const next = () => (left-- ? requestAnimationFrame(next) : resolve()); next() })`,
  )
}

test('100 000 messages in 50 000 turns scroll to the first one, and few of them are in the page', async () => {
  await using tab = await browser.open(iris, { path: `/conversations/${long}` })
  const { page } = tab
  await page.getByText('Question 50000, filler?').waitFor()
  const feed = page.getByRole('feed', { name: 'Turns' })
  const rows = async (): Promise<number> => feed.getByRole('article').count()
  const most: number[] = [await rows()]
  await feed.focus()
  for (let times = 0; times < 10; times += 1) {
    await page.keyboard.press('PageUp')
    most.push(await rows())
  }
  await page.getByRole('button', { name: 'Jump to newest' }).waitFor()
  await page.keyboard.press('Home')
  await page.getByText('Question 1, filler?', { exact: true }).waitFor()
  most.push(await rows())
  expect(Math.max(...most)).toBeLessThan(40)
  // Home holds the list at its beginning for 30 frames, but not against the person.
  await page.getByRole('button', { name: 'Jump to newest' }).click()
  await framesOf(page, 40)
  await page.getByText('Question 50000, filler?').waitFor()
  await feed.focus()
  await page.keyboard.press('Home')
  await page.getByText('Question 1, filler?', { exact: true }).waitFor()
  // New text does not move a reader who has scrolled elsewhere.
  const { turnId } = await callTool(iris, 'quick_message', {
    toTeam: 'backend',
    fromTeam: 'frontend',
    thread: 'long',
    message: 'one more',
  })
  await page
    .getByRole('article', { name: 'Turn 1: frontend asks backend' })
    .and(page.locator('[aria-setsize="50001"]'))
    .waitFor()
  await page.getByText('Question 1, filler?', { exact: true }).waitFor()
  await callTool(iris, 'message_status', { turnId, timeout: 0 })
  await page.getByRole('button', { name: 'Jump to newest' }).click()
  await page.getByText('answer to one more').waitFor()
  await noTrouble(tab)
})
