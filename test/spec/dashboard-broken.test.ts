import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestBrowser } from '../support/browser.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { count } from '../support/page-waits.ts'
import { Person } from '../support/registered-person.ts'

let browser: TestBrowser
let iris: TestIris
beforeAll(async () => {
  browser = await TestBrowser.start()
  iris = await TestIris.start({ claude: 'fake', teams: { backend: {}, docs: {} } })
})
afterAll(async () => {
  await iris[Symbol.asyncDispose]()
  await browser[Symbol.asyncDispose]()
})

test('why a message waits is said in its conversation, in the inbox and on the switchboard, and is gone when it goes on', async () => {
  const { sessionId } = await ask(iris, 'backend', 'one')
  const person = new Person(iris.world.claudeDirectory, sessionId, { job: '3f2a9c01' })
  await using _ = person
  await iris.event('process-terminated', ({ why }) => why.includes('a person'))
  const why = 'Open in background session 3f2a9c01: `claude stop 3f2a9c01`.'
  await using tab = await browser.open(iris, { path: `/conversations/${sessionId}` })
  const { turnId } = await callTool(iris, 'quick_message', { toTeam: 'backend', message: 'two' })
  await tab.page.getByRole('status').getByText(why, { exact: true }).waitFor()
  await using inbox = await tab.another('/')
  await inbox.page.locator('[data-row]').getByText(why, { exact: true }).first().waitFor()
  await using switchboard = await tab.another('/switchboard')
  await switchboard.page.locator(`tr[data-session="${sessionId}"]`).getByTitle(why, { exact: true }).waitFor()
  await person.leaves()
  await iris.event('turn-settled', (event) => event.turnId === turnId)
  await tab.page.getByText(why).waitFor({ state: 'detached' })
})

test('what does not work is on top of every page, on the team and in Health, until it works', async () => {
  const telegram = { platform: 'telegram', team: 'docs', tokenFile: 'no-such-file' }
  iris.world.writeConfig({ channels: { news: telegram } })
  await using tab = await browser.open(iris, { path: '/logs' })
  const strip = tab.page.getByRole('region', { name: 'Problems' })
  await strip.getByText('The channel news needs setup.').waitFor()
  expect(await tab.barriers('moderate')).toEqual([])
  await strip.getByRole('link', { name: 'Open Channels' }).click()
  await tab.page.getByRole('region', { name: 'news' }).getByText('no-such-file').waitFor()
  await tab.page.getByRole('link', { name: 'Health', exact: true }).click()
  await tab.page.getByRole('region', { name: 'What is wrong' }).getByText('The channel news needs setup.').waitFor()
  await using inbox = await tab.another('/')
  const marked = (name: string) =>
    inbox.page
      .getByRole('listitem')
      .filter({ hasText: name })
      .getByTitle(/^The channel news needs setup\./)
  await marked('docs').first().waitFor()
  await count(marked('backend').filter({ hasNotText: 'docs' }), 0)
  await using map = await tab.another('/switchboard')
  const onMap = map.page.getByRole('button', { name: /The channel news needs setup\./ })
  await onMap.getByText('⚠').waitFor()
  expect(await onMap.evaluateAll((nodes) => nodes.map((node) => node.getAttribute('data-participant')))).toEqual([
    'docs',
  ])
  await inbox.page.getByRole('button', { name: 'Message… docs' }).click()
  await inbox.page.getByRole('dialog').getByText('The channel news needs setup.').waitFor()

  iris.world.writeConfig({ channels: {} })
  await strip.waitFor({ state: 'detached' })
})

test('a mistake in config.yaml is named with its line and what to do, at 390 px too', async () => {
  await using tab = await browser.open(iris, { path: '/logs', width: 390 })
  iris.world.writeConfig({ settings: { maxProceses: 3 } })
  const strip = tab.page.getByRole('region', { name: 'Problems' })
  await strip
    .getByText(/^config\.yaml has a mistake in line \d+: settings\.maxProceses is not a key that Iris knows here\.$/)
    .waitFor()
  await strip.getByText('Did you mean maxProcesses?').waitFor()
  await strip.getByRole('link', { name: 'Open Configuration' }).click()
  await tab.page.getByRole('alert').getByText('Iris does not use this file').waitFor()
  expect(await tab.fitsWidth()).toBe(true)
  iris.world.writeConfig({})
  await strip.waitFor({ state: 'detached' })
})
