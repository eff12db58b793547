import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import type { BotApi } from '../support/bot-api.ts'
import { ChatPlace } from '../support/chat-places.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import type { SlackDouble } from '../support/slack-double.ts'

const answer = 'An **order** has `rows`:\n\n```ts\nconst order = 1\n```\n\nSee [bank](https://example.org).'
const script: Script = () => ({ text: answer })

const forms = {
  telegram: {
    text: 'An order has rows:\nconst order = 1\nSee bank (https://example.org).',
    format: [
      { type: 'bold', offset: 3, length: 5 },
      { type: 'code', offset: 13, length: 4 },
      { type: 'pre', offset: 19, length: 15, language: 'ts' },
    ],
  },
  slack: {
    // What a notification shows, and who reads without blocks.
    text: answer,
    format: [
      {
        type: 'rich_text_section',
        elements: [
          { type: 'text', text: 'An ' },
          { type: 'text', text: 'order', style: { bold: true } },
          { type: 'text', text: ' has ' },
          { type: 'text', text: 'rows', style: { code: true } },
          { type: 'text', text: ':' },
        ],
      },
      { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'const order = 1' }] },
      {
        type: 'rich_text_section',
        elements: [
          { type: 'text', text: 'See bank (' },
          { type: 'link', url: 'https://example.org' },
          { type: 'text', text: ').' },
        ],
      },
    ],
  },
}

describe.each(['telegram', 'slack'] as const)('an answer in %s', (platform) => {
  let chat: ChatPlace
  let iris: TestIris
  beforeAll(async () => {
    chat = await ChatPlace.start(platform)
    iris = await TestIris.start({ claude: 'fake', script, teams: { backend: {} } })
    chat.join(iris.world)
    await chat.listens()
  })
  afterAll(async () => {
    await iris[Symbol.asyncDispose]()
    await chat[Symbol.asyncDispose]()
  })
  const double = (): BotApi | SlackDouble => chat.double as BotApi | SlackDouble
  const answered = async (message: string) => {
    const open = `SELECT 1 FROM channel_posts WHERE state IN ('waiting', 'sending', 'reserved')`
    const before = double().posts.length
    chat.say(message)
    await double().until(() => double().posts.length > before, 'it is answered')
    await eventually(() => iris.rows(open).length === 0, 'everything is posted')
    expect(double().posts).toHaveLength(before + 1)
    const { text, format } = double().posts.at(-1)!
    return { text, format: JSON.parse(format ?? '[]') }
  }

  test("is shown in the platform's own form", async () => {
    expect(await answered('hello')).toEqual(forms[platform])
  })

  test('is shown as it was written where the platform refuses that form', async () => {
    double().refusesFormat = true
    expect(await answered('again')).toEqual({ text: answer, format: [] })
  })

  test('texts of Iris itself are shown as they are', async () => {
    double().refusesFormat = false
    const { format } = await answered('/help')
    expect(format).toEqual([])
  })
})
