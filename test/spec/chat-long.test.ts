import { expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ChatPlace, chatPlatforms } from '../support/chat-places.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'

const long = Array.from({ length: 900 }, (_, line) => `Line ${line} of the answer.`).join('\n')
const script: Script = () => ({ text: long })

/** A chat with `backend`, which answers so. */
async function talk(platform: (typeof chatPlatforms)[number]) {
  const stack = new AsyncDisposableStack()
  const chat = stack.use(await ChatPlace.start(platform))
  const iris = stack.use(await TestIris.start({ claude: 'fake', script, teams: { backend: {} } }))
  chat.join(iris.world)
  await chat.listens()
  const open = `SELECT 1 FROM channel_posts WHERE state NOT IN ('posted', 'failed')`
  const noted = () => eventually(() => iris.rows(open).length === 0, 'Iris has noted it')
  return { chat, iris, noted, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

test.each(chatPlatforms)('an answer that would fill more than four posts of %s comes as a file', async (platform) => {
  await using talking = await talk(platform)
  const { chat, noted } = talking
  chat.say('hello')
  await chat.double.until(() => chat.texts.length === 2, 'both are posted')
  await noted()
  const answer = chat.texts.find((text) => text !== '[answer.md]')!
  expect(answer).toMatch(/^Line 0 of the answer\.\nLine 1 .*\n\n\(Continued below\.\)$/s)
  expect(chat.double.documents).toEqual([{ name: 'answer.md', content: Buffer.from(long) }])
})

test.each(chatPlatforms)('where %s refuses that file, the rest comes in further posts', async (platform) => {
  await using talking = await talk(platform)
  const { chat, iris, noted } = talking
  chat.fails('file', '403')
  chat.say('hello')
  await chat.posted((text) => text.includes('Line 899 of the answer.'), 'the end of the answer')
  await noted()
  const lines = chat.texts.join('\n').match(/Line \d+ of the answer\./g)
  expect(lines).toEqual(long.split('\n'))
  expect(iris.rows(`SELECT state FROM channel_posts WHERE state <> 'posted'`)).toEqual([{ state: 'failed' }])
})

test('where nobody knows whether Telegram got that file, the rest comes in further posts', async () => {
  await using talking = await talk('telegram')
  const { chat, iris } = talking
  chat.fails('file', 'refuse')
  chat.say('hello')
  await chat.posted((text) => text.includes('Line 899 of the answer.'), 'the end of the answer')
  const lines = chat.texts.join('\n').match(/Line \d+ of the answer\./g)
  expect(lines).toEqual(long.split('\n'))
  expect(iris.rows('SELECT state FROM channel_posts WHERE piece < 0')).toEqual([{ state: 'in_doubt' }])
})
