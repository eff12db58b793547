import { expect, test } from 'vitest'
import { ChatPlace, chatPlatforms } from '../support/chat-places.ts'
import { fakeClaude, type Script } from '../support/fake-claude.ts'
import { TestIris } from '../support/iris.ts'

/** "build" leaves a command running, whose end the agent reports. */
const script = (ends: string): Script => ({
  rules: [
    { when: 'task-notification', steps: [{ text: 'The build FAILED.' }] },
    { when: 'build', steps: [{ backgroundTask: { id: 'b1', endsAfterFile: ends } }, { text: 'It builds.' }] },
    { steps: [{ text: 'Hello.' }] },
  ],
})

test.each(chatPlatforms)('what an agent says after its answer is posted in %s, once', async (platform) => {
  await using chat = await ChatPlace.start(platform)
  using fake = fakeClaude({ script: (file) => script(file('built')) })
  await using iris = await TestIris.start({ settings: { claudePath: fake.claudePath, env: { ...fake.env } } })
  chat.join(iris.world, { role: 'os_agent' })
  await chat.listens()
  chat.say('build it')
  await chat.double.until(() => chat.texts.includes('It builds.'), 'the answer')
  fake.open('built')
  await chat.double.until(() => chat.texts.includes('The build FAILED.'), 'the report')
  chat.say('hello')
  await chat.double.until(() => chat.texts.includes('Hello.'), 'the next answer')
  expect(chat.texts).toEqual(['It builds.', 'The build FAILED.', 'Hello.'])
})

test('a report that comes while the channel is not connected is posted with the next answer', async () => {
  await using chat = await ChatPlace.start('telegram')
  using fake = fakeClaude({ script: (file) => script(file('built')) })
  await using iris = await TestIris.start({ settings: { claudePath: fake.claudePath, env: { ...fake.env } } })
  chat.join(iris.world, { role: 'os_agent' })
  await chat.listens()
  chat.say('build it')
  await chat.double.until(() => chat.texts.includes('It builds.'), 'the answer')
  iris.world.writeConfig({})
  let reloads = 0
  await iris.event('config-reloaded', () => ++reloads === 2)
  fake.open('built')
  await iris.event('turn-reported')
  chat.join(iris.world, { role: 'os_agent' })
  await chat.listens()
  chat.say('hello')
  await chat.double.until(() => chat.texts.includes('The build FAILED.'), 'the report')
  expect(chat.texts).toEqual(['It builds.', 'Hello.', 'The build FAILED.'])
})
