import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BotApi } from '../support/bot-api.ts'
import { TestBrowser } from '../support/browser.ts'
import { TestIris } from '../support/iris.ts'
import { SlackDouble } from '../support/slack-double.ts'

let api: BotApi
let slack: SlackDouble
let iris: TestIris
let browser: TestBrowser
beforeAll(async () => {
  api = await BotApi.start()
  slack = await SlackDouble.start()
  slack.pagesLeft = 1
  iris = await TestIris.start({ claude: 'fake', teams: { backend: {} } })
  writeFileSync(join(iris.world.home, 'telegram-token'), api.token, { mode: 0o600 })
  const { entry, files } = slack.config()
  for (const [file, token] of Object.entries(files)) writeFileSync(join(iris.world.home, file), token, { mode: 0o600 })
  const own = { platform: 'telegram', team: 'backend', apiRoot: api.url }
  iris.world.writeConfig({
    channels: {
      shop: { ...own, tokenFile: 'telegram-token', allow: [42], groups: { '-100': 'mention' } },
      talk: { ...entry, team: 'backend', allow: ['U0ADA42', 'U0BOB43'] },
      broken: { ...own, tokenFile: 'no-such-file' },
    },
  })
  await iris.event('config-reloaded')
  browser = await TestBrowser.start()
})
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await iris[Symbol.asyncDispose]()
  await api[Symbol.asyncDispose]()
  await slack[Symbol.asyncDispose]()
})

test('the page shows each channel, tests its bot, and says who may write', async () => {
  await using tab = await browser.open(iris, { path: '/channels', width: 390, height: 844 })
  const { page } = tab
  const shop = page.getByRole('region', { name: 'shop' })
  await shop.getByText('connected', { exact: true }).waitFor()
  await shop.getByText('config.yaml (42)').waitFor()
  const talk = page.getByRole('region', { name: 'talk' })
  await talk.getByText('Catching up: 1 of 2 chats read.').waitFor()
  const broken = page.getByRole('region', { name: 'broken' })
  await broken.getByText('needs setup', { exact: true }).waitFor()
  await broken.getByText('Token file not found: no-such-file').first().waitFor()
  await shop.getByRole('button', { name: 'Test shop' }).click()
  await shop.getByText('It is not in the group -100').waitFor()

  // A stranger gets a code, which the owner types in.
  api.say('hello', { from: 77, name: 'Eve' })
  const code = await api.until(
    () => /\b[A-Z2-9]{6}\b/.exec(api.textsIn(77).join(' '))?.[0],
    'the stranger is shown a code',
  )
  await shop.getByText('Eve (77)').waitFor()
  await shop.getByRole('textbox', { name: 'Code from the chat, for shop' }).fill(code)
  await shop.getByRole('button', { name: 'Approve' }).click()
  await shop.getByRole('button', { name: 'Remove 77' }).waitFor()
  // A post that comes later would meet the fault of the next test.
  await api.posted(77, 'You can talk here now.')
  await shop.getByText('1 person waits for you:').waitFor({ state: 'detached' })
  await shop.getByRole('button', { name: 'Remove 77' }).click()
  await shop.getByRole('button', { name: 'Remove 77' }).waitFor({ state: 'detached' })
  await shop.getByRole('textbox', { name: 'Id of a person, for shop' }).fill('Eve')
  await shop.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.getByText('"Eve" is not the id of a person on telegram.').waitFor()
  expect(await tab.fitsWidth()).toBe(true)
  expect(await tab.barriers()).toEqual([])
  expect(tab.troubles).toEqual([])
})

test('the page says in which chat nothing can be posted, and why, and which group has another id', async () => {
  api.faults.push({ method: 'sendMessage', fault: '403' })
  api.say('is this read?')
  // Nobody could read the answer.
  await iris.event('turn-settled', ({ outcome }) => outcome === 'cancelled')
  api.migrate(-100, -200)
  api.say('after', { from: 78 })
  await api.until(() => api.textsIn(78).length > 0, 'all before it is taken')
  await using tab = await browser.open(iris, { path: '/channels' })
  const shop = tab.page.getByRole('region', { name: 'shop' })
  const failure = 'Not posted in telegram:42: Forbidden: bot was blocked by the user'
  await shop.getByText(failure, { exact: true }).waitFor()
  await shop.getByText('1 not posted').waitFor()
  await shop.getByText('The group -100 continues as -200. In config.yaml, write "-200" in place of "-100"').waitFor()
  api.say('and now?')
  await api.posted(42, 'Received.')
  await tab.page.reload()
  await shop.getByText(`${failure} (later posts arrived)`).waitFor()
})
