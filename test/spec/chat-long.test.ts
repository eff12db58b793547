import { expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ChatPlace, chatPlatforms } from '../support/chat-places.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'

const long = Array.from({ length: 900 }, (_, line) => `Line ${line} of the answer.`).join('\n')
const script: Script = () => ({ text: long })

test.each(chatPlatforms)('an answer that would fill more than four posts of %s comes as a file', async (platform) => {
  await using chat = await ChatPlace.start(platform)
  await using iris = await TestIris.start({ claude: 'fake', script, teams: { backend: {} } })
  chat.join(iris.world)
  await chat.listens()
  chat.say('hello')
  const open = `SELECT 1 FROM channel_posts WHERE state <> 'posted'`
  await chat.double.until(() => chat.texts.length === 2, 'both are posted')
  await eventually(() => iris.rows(open).length === 0, 'Iris has noted it')
  const answer = chat.texts.find((text) => text !== '[answer.md]')!
  expect(answer).toMatch(/^Line 0 of the answer\.\nLine 1 .*\n\n\(It goes on\. answer\.md has all of it\.\)$/s)
  expect(chat.double.documents).toEqual([{ name: 'answer.md', content: Buffer.from(long) }])
})
