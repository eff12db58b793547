import { expect, test } from 'vitest'
import { signInAs } from '../support/browser-login.ts'
import { ChatPlace, chatPlatforms } from '../support/chat-places.ts'
import { EventStream } from '../support/event-stream.ts'
import { fakeClaude, type Script } from '../support/fake-claude.ts'
import { TestIris } from '../support/iris.ts'
import { plainHttp } from '../support/plain-http.ts'

/** "build" leaves a command running, whose end the agent reports. */
const script = (ends: string): Script => ({
  rules: [
    { when: 'task-notification', steps: [{ text: 'The build FAILED.' }] },
    { when: 'build', steps: [{ backgroundTask: { id: 'b1', endsAfterFile: ends } }, { text: 'It builds.' }] },
    { steps: [{ text: 'Hello.' }] },
  ],
})

/** Iris in the chat of a platform, with the first answer posted: its command still runs. */
async function building(platform: (typeof chatPlatforms)[number]) {
  const chat = await ChatPlace.start(platform)
  const fake = fakeClaude({ script: (file) => script(file('built')) })
  const iris = await TestIris.start({ settings: { claudePath: fake.claudePath, env: { ...fake.env } } })
  const join = (): Promise<void> => {
    chat.join(iris.world, { role: 'os_agent' })
    return chat.listens()
  }
  await join()
  chat.say('build it')
  await chat.posted((text) => text === 'It builds.', 'the answer')
  return {
    chat,
    fake,
    iris,
    join,
    async [Symbol.asyncDispose]() {
      await iris[Symbol.asyncDispose]()
      fake[Symbol.dispose]()
      await chat[Symbol.asyncDispose]()
    },
  }
}

test.each(chatPlatforms)('what an agent says after its answer is posted in %s, once', async (platform) => {
  await using place = await building(platform)
  const { chat, fake } = place
  fake.open('built')
  await chat.posted((text) => text === 'The build FAILED.', 'the report')
  chat.say('hello')
  await chat.posted((text) => text === 'Hello.', 'the next answer')
  expect(chat.texts).toEqual(['It builds.', 'The build FAILED.', 'Hello.'])
})

test('a report that comes while the channel is not connected is posted with the next answer', async () => {
  await using place = await building('telegram')
  const { chat, fake, iris, join } = place
  iris.world.writeConfig({})
  let reloads = 0
  await iris.event('config-reloaded', () => ++reloads === 2)
  fake.open('built')
  await iris.event('turn-reported')
  await join()
  chat.say('hello')
  await chat.posted((text) => text === 'The build FAILED.', 'the report')
  expect(chat.texts).toEqual(['It builds.', 'Hello.', 'The build FAILED.'])
})

test('a person who chats in a browser gets it on the page, and is told by the stream', async () => {
  using fake = fakeClaude({ script: (file) => script(file('built')) })
  await using iris = await TestIris.start({ settings: { claudePath: fake.claudePath, env: { ...fake.env } } })
  const cookie = await signInAs(iris, 'ana', 'os_agent')
  const origin = `http://127.0.0.1:${iris.port}`
  const headers = { cookie, origin, 'content-type': 'application/json' }
  const place = { team: 'backend', conversation: 'first' }
  await using stream = await EventStream.at(`${origin}/api/viewer/stream`, { cookie })
  await plainHttp(iris.port, 'POST', '/api/viewer/messages', headers, JSON.stringify({ ...place, message: 'build it' }))
  await stream.next('turn-settled')
  fake.open('built')
  await stream.next('turn-reported')
  const page = await plainHttp(iris.port, 'GET', `/api/viewer/messages?${new URLSearchParams(place)}`, { cookie })
  expect(JSON.parse(page.body).turns).toMatchObject([
    { text: 'It builds.', reports: [{ kind: 'said', text: 'The build FAILED.' }] },
  ])
  expect(iris.rows('SELECT count(*) AS unread FROM reports WHERE read_at IS NULL')).toEqual([{ unread: 0 }])
})
