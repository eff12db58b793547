import { afterAll, beforeAll, expect, test } from 'vitest'
import { overloadedFailure, type Script } from '../../src/app/demo/script.ts'
import { type Tab, TestBrowser } from '../support/browser.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { answerPermission } from '../support/owner.ts'
import { count } from '../support/page-waits.ts'
import { spoken } from '../support/world.ts'

const permissionTimeout = 3_600_000
const clock = new JumpingClock({ goesOn: true })
let failing = true

const script: Script = ({ conversation: { lastUserText, toolResults } }) => {
  const said = spoken(lastUserText)
  const command = { touch: 'touch made', risky: 'rm -rf build' }[said]
  if (said.startsWith('fails')) return failing ? overloadedFailure : { text: 'It works again.' }
  if (command !== undefined && toolResults.length === 0)
    return { toolUses: [{ name: 'Bash', input: { command, description: 'as told' } }] }
  return { text: `You said: ${said}` }
}

let browser: TestBrowser
let iris: TestIris
beforeAll(async () => {
  browser = await TestBrowser.start()
  iris = await TestIris.start({
    claude: 'fake',
    script,
    clock,
    settings: { permissionTimeout, responseTimeout: 4 * permissionTimeout },
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

const rowOf = ({ page }: Tab, pair: string) => page.locator('[data-row]').and(page.getByLabel(pair, { exact: true }))
const focused = ({ page }: Tab, pair: string) => rowOf({ page } as Tab, pair).and(page.locator(':focus'))
const sent = async (message: string, toTeam = 'docs') => {
  const { turnId } = await callTool(iris, 'quick_message', { toTeam, message })
  await iris.event('turn-settled', (event) => event.turnId === turnId)
}
const asked = async (message: string, fromTeam: string) => {
  const answer = ask(iris, 'mobile', message, { fromTeam })
  const { permission } = await iris.event('permission:request', (event) => event.permission.from === fromTeam)
  return { answer, permission }
}

test('by keys alone: done, undo, later and pin, the same in another browser and after a restart of the daemon', async () => {
  await ask(iris, 'backend', 'fails', { fromTeam: 'frontend' })
  await sent('hello')
  await using tab = await browser.open(iris, { width: 1440, height: 900 })
  await using other = await browser.open(iris)
  const { page } = tab
  // The first row that needs someone has the focus.
  await focused(tab, 'frontend → backend').waitFor()
  expect(await tab.barriers('moderate')).toEqual([])
  await page.keyboard.press('j')
  await focused(tab, 'you → docs').waitFor()
  await page.keyboard.press('k')
  await focused(tab, 'frontend → backend').waitFor()

  await page.keyboard.press('e')
  await rowOf(tab, 'frontend → backend').waitFor({ state: 'detached' })
  await focused(tab, 'you → docs').waitFor()
  await rowOf(other, 'frontend → backend').waitFor({ state: 'detached' })
  await page.keyboard.press('z')
  await rowOf(tab, 'frontend → backend').waitFor()
  await rowOf(other, 'frontend → backend').waitFor()
  // The focus has stayed where it was.
  await focused(tab, 'you → docs').waitFor()

  await page.keyboard.press(' ')
  await page.getByRole('complementary', { name: 'Peek' }).getByText('You said: hello').waitFor()
  await rowOf(other, 'you → docs').and(other.page.locator('[data-state=opened]')).waitFor()
  await page.keyboard.press('h')
  await page.getByRole('dialog', { name: 'Until when?' }).getByRole('button', { name: 'In an hour' }).click()
  await rowOf(other, 'you → docs').waitFor({ state: 'detached' })
  await rowOf(tab, 'frontend → backend').focus()
  await page.keyboard.press('e')
  await rowOf(other, 'frontend → backend').waitFor({ state: 'detached' })

  expect(other.troubles).toEqual([])
  await iris.restart()
  await using after = await browser.open(iris, { path: '/?place=later' })
  await rowOf(after, 'you → docs').waitFor()
  await after.page.getByRole('link', { name: 'Done 1' }).click()
  await rowOf(after, 'frontend → backend').waitFor()
  expect(new URL(after.page.url()).search).toBe('?place=done')
  await after.page.getByRole('searchbox', { name: 'Find in the inbox' }).fill('nothing like it')
  await after.page.getByText('Nothing in the inbox matches.').waitFor()
  await after.page.getByRole('link', { name: 'Search all conversations' }).click()
  await after.page.waitForURL('**/conversations?query=nothing**')
  await after.page.goto(`${after.address}/`)
  await after.page.getByText('All good. Nothing needs your attention.').waitFor()
  // A snoozed item returns on its own.
  await clock.jump(permissionTimeout)
  await rowOf(after, 'you → docs').waitFor()
  await after.page.getByRole('button', { name: 'Pin you → docs' }).click()
  await after.page.getByRole('region', { name: 'Pinned' }).waitFor()
  expect(after.troubles).toEqual([])
})

test('a digit answers the focused question; a risky one it only selects, and an answer from elsewhere counts', async () => {
  const plain = await asked('touch', 'docs')
  await using tab = await browser.open(iris)
  const { page } = tab
  // Digits count on a row at rest.
  await focused(tab, 'docs → mobile').and(page.locator('[data-still]')).waitFor()
  await page.keyboard.press('1')
  expect((await plain.answer).status).toBe('completed')
  await rowOf(tab, 'docs → mobile').waitFor({ state: 'detached' })

  const risky = await asked('risky', 'backend')
  const row = rowOf(tab, 'backend → mobile')
  await row.focus()
  await row.and(page.locator('[data-still]')).waitFor()
  await page.keyboard.press('2')
  await row.getByText('Enter sends: Deny.').waitFor()
  await page.keyboard.press('Escape')
  await row.getByText('Enter sends').waitFor({ state: 'detached' })
  // What holds for longer needs a second key: the first one goes to the request.
  await page.keyboard.press('w')
  await row.locator('[data-permission]:focus').waitFor()
  await row.focus()
  await row.and(page.locator('[data-still]')).waitFor()
  await page.keyboard.press('2')
  await page.keyboard.press('Enter')
  expect((await risky.answer).status).toBe('completed')
  expect(iris.rows("SELECT state FROM permissions WHERE state = 'denied'")).toHaveLength(1)

  const elsewhere = await asked('touch', 'frontend')
  await rowOf(tab, 'frontend → mobile').waitFor()
  await answerPermission(iris, elsewhere.permission, 'allow')
  await elsewhere.answer
  await rowOf(tab, 'frontend → mobile').waitFor({ state: 'detached' })
  expect(tab.troubles).toEqual([])
})

test('a question that ran out stays, and is asked again as its asker with the message that was shown', async () => {
  const { answer } = await asked('touch', 'backend')
  await clock.jump(permissionTimeout)
  await answer
  await using tab = await browser.open(iris)
  const { page } = tab
  const row = rowOf(tab, 'backend → mobile')
  await row.getByText('Expired: nobody answered the request to use Bash in time.').waitFor()
  await page.getByRole('link', { name: 'Expired 1' }).waitFor()
  await row.getByRole('button', { name: 'Ask again' }).click()
  const dialog = page.getByRole('dialog', { name: 'Ask again?' })
  const text = 'Nobody answered the request to use Bash in time. Try it again if you still need it.'
  await dialog.getByText(text).waitFor()
  expect(iris.rows(`SELECT id FROM turns WHERE message = '${text}'`)).toEqual([])
  await dialog.getByRole('button', { name: 'Send' }).click()
  await row.waitFor({ state: 'detached' })
  expect(
    iris.rows(
      `SELECT from_team, to_team FROM turns JOIN team_sessions ON team_sessions.id = session WHERE message = '${text}'`,
    ),
  ).toEqual([{ from_team: 'backend', to_team: 'mobile' }])
  expect(tab.troubles).toEqual([])
})

test('a retry stays in its place until it has ended, and says how often it failed; several rows are marked at once', async () => {
  await ask(iris, 'backend', 'fails one', { fromTeam: 'docs' })
  await ask(iris, 'backend', 'fails two', { fromTeam: 'mobile' })
  await using tab = await browser.open(iris)
  const { page } = tab
  await rowOf(tab, 'docs → backend').focus()
  await page.keyboard.press('r')
  await rowOf(tab, 'docs → backend').getByText('failed again, 2 tries').waitFor()
  failing = false
  await rowOf(tab, 'docs → backend').getByRole('button', { name: 'Retry' }).click()
  await page.getByRole('region', { name: 'News' }).getByText('It works again.').waitFor()
  for (const pair of ['docs → backend', 'mobile → backend']) {
    await rowOf(tab, pair).focus()
    await page.keyboard.press('x')
  }
  await page.getByRole('button', { name: 'Mark 2 done' }).click()
  for (const pair of ['docs → backend', 'mobile → backend']) await rowOf(tab, pair).waitFor({ state: 'detached' })
  await page.getByText('Marked 2 done.').waitFor()
  await count(page.getByRole('button', { name: 'Undo' }), 1)
  await page.getByRole('button', { name: 'Undo' }).click()
  for (const pair of ['docs → backend', 'mobile → backend']) await rowOf(tab, pair).waitFor()
  expect(tab.troubles).toEqual([])
})

test('an answer is "Sending…" until the daemon has it, and a selection is denied, retried and put off', async () => {
  failing = true
  await ask(iris, 'backend', 'fails three')
  failing = false
  const { answer } = await asked('touch', 'frontend')
  await using tab = await browser.open(iris)
  const { page } = tab
  const [failed, question] = [rowOf(tab, 'you → backend'), rowOf(tab, 'frontend → mobile')]
  const select = async (row: typeof failed) => {
    await row.focus()
    await page.keyboard.press('x')
  }
  const selected = page.getByRole('group', { name: 'Selected' })
  await select(failed)
  await select(question)
  await selected.getByRole('button', { name: 'Deny 1' }).click()
  expect((await answer).status).toBe('completed')
  await question.waitFor({ state: 'detached' })
  await selected.waitFor({ state: 'detached' })
  await failed.getByRole('button', { name: 'Retry' }).waitFor()
  await select(failed)
  await selected.getByRole('button', { name: 'Retry 1' }).click()
  await failed.getByText('It works again.').waitFor()
  await select(failed)
  await selected.getByRole('button', { name: 'Put off 1' }).click()
  await page.getByRole('dialog', { name: 'Until when?' }).getByRole('button', { name: 'In an hour' }).click()
  await failed.waitFor({ state: 'detached' })

  const held = Promise.withResolvers<void>()
  await page.route('**/api/permissions/**', async (route) => {
    if (route.request().method() === 'POST') await held.promise
    await route.continue()
  })
  const second = await asked('touch', 'frontend')
  await question.focus()
  await question.and(page.locator('[data-still]')).waitFor()
  await page.keyboard.press('1')
  await question.getByText('Sending…').first().waitFor()
  held.resolve()
  expect((await second.answer).status).toBe('completed')
  await question.waitFor({ state: 'detached' })

  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('notif')
  await page.getByRole('option', { name: /notifications/ }).waitFor()
  expect(tab.troubles).toEqual([])
})
