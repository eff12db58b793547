import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { TestBrowser } from '../support/browser.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { reads } from '../support/page-waits.ts'

const port = { type: 'object', properties: { port: { type: 'integer' } }, required: ['port'] }

/** Answers with a value. The API says that the account has used all of its five hours. */
const script: Script = ({ conversation: { step } }) => {
  const reset = String(Math.floor(Date.now() / 1000) + 3600)
  const unified = 'anthropic-ratelimit-unified'
  const headers = {
    [`${unified}-status`]: 'allowed',
    [`${unified}-reset`]: reset,
    [`${unified}-representative-claim`]: 'five_hour',
    [`${unified}-5h-status`]: 'allowed',
    [`${unified}-5h-reset`]: reset,
    [`${unified}-5h-utilization`]: '0.95',
  }
  if (step > 0) return { text: 'It is 1615.', headers }
  return { toolUses: [{ name: 'mcp__iris__return_value', input: { value: { port: 1615 } } }], headers }
}

let browser: TestBrowser
let iris: TestIris
beforeAll(async () => {
  browser = await TestBrowser.start()
  const env = { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-scripted' }
  iris = await TestIris.start({ script, settings: { env, limitAt: 0.9 } })
})
afterAll(async () => {
  await iris[Symbol.asyncDispose]()
  await browser[Symbol.asyncDispose]()
})

test('what is scheduled is in the inbox with its next time, and can be cancelled there', async () => {
  await using tab = await browser.open(iris, { path: '/' })
  await tab.page.getByRole('region', { name: 'Teams' }).waitFor()
  const section = tab.page.getByRole('region', { name: 'Scheduled' })
  const daily = { toTeam: 'backend', message: 'What is new?', every: 'day' }
  await callTool(iris, 'send_message', daily)
  await section.getByText('What is new?').waitFor()
  await section.getByText(/, then every day$/).waitFor()
  await section.getByRole('button', { name: 'Cancel the scheduled message from you to backend' }).click()
  await section.waitFor({ state: 'detached' })
  expect(await callTool(iris, 'list_schedules')).toMatchObject({ schedules: [] })
})

test('a value is shown as JSON in its conversation, and the limit of its account beside the team', async () => {
  const { sessionId } = await ask(iris, 'backend', 'Which port?', { responseSchema: port })
  await using tab = await browser.open(iris, { path: `/conversations/${sessionId}` })
  const value = tab.page.getByLabel('Value')
  await value.waitFor()
  await reads(value, 'textContent', '{\n  "port": 1615\n}')
  await using board = await browser.open(iris, { path: '/switchboard?team=backend' })
  const limit = board.page
    .getByRole('region', { name: 'Team backend' })
    .getByText('at your share of its five-hour limit until')
  await limit.waitFor()
  await using inbox = await browser.open(iris, { path: '/' })
  await inbox.page
    .getByRole('region', { name: 'Teams' })
    .getByText('at your share of its five-hour limit until')
    .first()
    .waitFor()
})
