import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Tab, TestBrowser } from '../support/browser.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { reads } from '../support/page-waits.ts'

let browser: TestBrowser
beforeAll(async () => {
  browser = await TestBrowser.start()
})
afterAll(() => browser[Symbol.asyncDispose]())

const teams = {
  frontend: {},
  backend: { env: { SHOP_API_KEY: 's3cret-of-the-shop' }, model: 'opus', description: 'the API' },
}

const part = ({ page }: Tab, name: string) => page.getByRole('region', { name, exact: true })

test('how a conversation is run, with the real Claude Code, is found, shown, linked and copied without secrets', async () => {
  await using iris = await TestIris.start({ claude: 'fake', teams })
  const { sessionId } = await ask(iris, 'backend', 'hello', { fromTeam: 'frontend' })
  await ask(iris, 'frontend', 'hello', { fromTeam: 'backend' })
  await using tab = await browser.open(iris, {
    path: '/debug',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const { page } = tab
  await page.getByText('Choose a conversation to see how it runs.').waitFor()
  await page.getByLabel('Find in names, threads and ids').fill('frontend backend')
  const choices = page.getByRole('navigation', { name: 'Conversations' }).getByRole('link')
  await page.getByLabel('Find in names, threads and ids').fill(sessionId.slice(0, 8))
  await choices.filter({ hasText: 'backend → frontend' }).waitFor({ state: 'detached' })
  await choices.filter({ hasText: 'frontend → backend' }).press('Enter')
  await page.waitForURL(`**/debug?session=${sessionId}`)

  await part(tab, 'Launch command').getByText('--output-format stream-json').waitFor()
  await part(tab, 'Process').getByText('idle').waitFor()
  await part(tab, 'Process').getByText('MiB').waitFor()
  await part(tab, 'Isolation').getByText('home').first().waitFor()
  const snapshot = part(tab, 'The team in config.yaml at that time')
  await snapshot.getByText('SHOP_API_KEY').waitFor()
  await snapshot.getByText('opus').waitFor()
  const takeOver = part(tab, 'Continue in a terminal')
  await takeOver.getByRole('button', { name: 'Copy: Continue in a terminal' }).click()
  await takeOver.getByText('Copied').waitFor()
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  expect(copied).toMatch(new RegExp(`^cd .*--resume ${sessionId}$`))
  await reads(takeOver.locator('pre'), 'innerText', copied)
  await page.getByText('Secrets are removed from this page').waitFor()
  expect(await page.content()).not.toContain('s3cret')
  expect(await tab.barriers()).toEqual([])
  // The path of this checkout must not appear.
  await part(tab, 'Launch command')
    .locator('pre')
    .evaluate((command) => {
      command.textContent = command.textContent.replace(/^\S+/, '/usr/local/bin/claude')
    })

  // What happens to it is seen.
  await callTool(iris, 'team_sleep', { team: 'backend', fromTeam: 'frontend' })
  await part(tab, 'Process').getByText('asleep').waitFor()
  await callTool(iris, 'session_delete', { team: 'backend', fromTeam: 'frontend' })
  await page.getByRole('region', { name: 'How it runs' }).getByText('archived').waitFor()

  // A link to it leads there in another tab.
  const linked = await tab.another(`/debug?session=${sessionId}`)
  await part(linked, 'Launch command').getByText('--output-format stream-json').waitFor()
  expect([...tab.troubles, ...linked.troubles]).toEqual([])
})

test('at 360 pixels, with nothing there yet, and with an id of nobody, it says what to do', async () => {
  await using iris = await TestIris.start({ claude: 'fake', teams: ['frontend'] })
  await using tab = await browser.open(iris, {
    path: '/debug?session=of-nobody',
    width: 360,
    colorScheme: 'dark',
  })
  const { page } = tab
  await page.getByText('There is no conversation of-nobody.').waitFor()
  await page.getByText('There is no conversation yet.').waitFor()
  expect(await tab.fitsWidth()).toBe(true)
  expect(await tab.barriers()).toEqual([])
})
