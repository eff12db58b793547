import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { type Tab, TestBrowser } from '../support/browser.ts'
import { TestIris } from '../support/iris.ts'
import { count } from '../support/page-waits.ts'
import { plainHttp } from '../support/plain-http.ts'

/** The second half of a long answer, and the end of a held one. */
const rest = Promise.withResolvers<void>()
async function* inTwo(): AsyncIterable<string> {
  yield 'The **first** half, '
  await rest.promise
  yield 'and the second.'
}
const script: Script = ({ conversation: { lastUserText, toolResults } }) => {
  const [, said = ''] = /<iris-message [^>]*>\n([\s\S]*)\n<\/iris-message>/.exec(lastUserText) ?? []
  if (toolResults.length > 0) return { text: 'I have run it.' }
  if (said === 'long') return { stream: inTwo() }
  if (said === 'hold') return { stall: 'started' }
  if (said === 'ask') return { toolUses: [{ name: 'Bash', input: { command: 'touch asked', description: 'x' } }] }
  return { text: `You said: ${said}` }
}

let iris: TestIris
let browser: TestBrowser
beforeAll(async () => {
  iris = await TestIris.start({
    claude: 'fake',
    script,
    teams: { backend: { grantPermission: 'ask', isolation: 'none' }, mobile: {} },
  })
  browser = await TestBrowser.start()
  // The page is built once, before anybody looks at it.
  await (await browser.open(iris))[Symbol.asyncDispose]()
})
afterAll(async () => {
  rest.resolve()
  await browser[Symbol.asyncDispose]()
  await iris[Symbol.asyncDispose]()
})

/** A colleague's browser, signed in by a link of "iris login". */
async function colleague(name: string, viewport = { width: 1280, height: 800 }): Promise<Tab> {
  const headers = { authorization: `Bearer ${iris.world.owner()}` }
  const made = await plainHttp(iris.port, 'POST', `/login/codes?name=${name}`, headers)
  const tab = await browser.empty(`http://127.0.0.1:${iris.port}`, { viewport })
  await tab.page.goto(`${tab.address}${JSON.parse(made.body).path}`)
  await tab.page.getByRole('button', { name: 'New conversation' }).waitFor()
  return tab
}

async function say({ page }: Tab, text: string): Promise<void> {
  await page.getByRole('textbox', { name: /^Message to/ }).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

const begin = async ({ page }: Tab, team: string): Promise<void> => {
  await page.getByRole('combobox', { name: 'Team' }).selectOption(team)
  await page.getByRole('button', { name: 'New conversation' }).click()
}

test('a colleague chats, sees an answer while it is written, and has nothing else of Iris', async () => {
  await using ana = await colleague('ana')
  const { page } = ana
  await count(page.getByRole('navigation'), 0)
  await begin(ana, 'backend')
  await say(ana, 'long')
  const answer = page.getByRole('article', { name: 'Answer from backend' })
  await answer.getByText('first', { exact: true }).waitFor()
  await answer.getByText('backend is working.').waitFor()
  rest.resolve()
  await answer.getByText('and the second.').waitFor()
  await answer.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })

  await begin(ana, 'mobile')
  await say(ana, 'good day')
  await page.getByText('You said: good day').waitFor()
  const list = page.getByRole('list', { name: 'Your conversations' })
  await count(list.getByRole('button'), 2)
  await list.getByRole('button', { name: /^long/ }).click()
  await page.getByText('and the second.').waitFor()
  await page.reload()
  await page.getByText('and the second.').waitFor()
  await page.getByRole('searchbox').fill('good')
  await page.getByRole('list', { name: 'Found' }).getByRole('button').first().click()
  await page.getByRole('article', { name: 'Answer from mobile' }).getByText('You said: good day').waitFor()
  expect(await ana.barriers()).toEqual([])
  expect(ana.troubles).toEqual([])
})

test('another colleague sees nothing of it, on a telephone either', async () => {
  await using bo = await colleague('bo', { width: 390, height: 844 })
  const { page } = bo
  await page.getByText('You have no conversations yet.').waitFor()
  await begin(bo, 'backend')
  await page.getByText('No messages to backend here yet.').waitFor()
  await say(bo, 'from the train')
  await page.getByText('You said: from the train').waitFor()
  expect(await bo.fitsWidth()).toBe(true)
  expect(await bo.barriers()).toEqual([])
  await page.getByRole('button', { name: 'All conversations' }).click()
  await page.getByRole('button', { name: /^from the train/ }).waitFor()
  await page.goto(`${bo.address}/logs`)
  await page.getByRole('button', { name: 'New conversation' }).waitFor()
  await count(page.locator('body').filter({ hasText: 'good day' }), 0)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('iris dashboard').waitFor()
})

test('an answer is stopped from the page', { tags: ['thorough'] }, async () => {
  await using cleo = await colleague('cleo')
  await begin(cleo, 'backend')
  await say(cleo, 'hold')
  const answer = cleo.page.getByRole('article', { name: 'Answer from backend' })
  await answer.getByText('backend is working.').waitFor()
  await answer.getByRole('button', { name: 'Stop' }).click()
  await answer.getByText('Stopped.').waitFor()
  expect(cleo.troubles).toEqual([])
})

test('the owner has it among the screens, and answers a question in place', { tags: ['thorough'] }, async () => {
  await using tab = await browser.open(iris, { path: '/chat' })
  const { page } = tab
  await page.getByRole('navigation').getByText('Chat', { exact: true }).waitFor()
  await begin(tab, 'backend')
  await say(tab, 'ask')
  await page.getByText('It is waiting for your answer').waitFor()
  await page
    .getByRole('button', { name: /^Allow/ })
    .first()
    .click()
  await page.getByText('I have run it.').waitFor()
  await page.getByText('1 tool', { exact: true }).waitFor()
  expect(await tab.barriers()).toEqual([])
})
